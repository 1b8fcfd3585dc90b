"""OpenSearch: change sets, sealed generations, publishing, state (docs/spec/05-index-lifecycle.md).

The only package that imports the OpenSearch client. Others hold a connection as
:data:`site_indexer.index_store.client.StoreClient` and hand it to the functions here.
"""
