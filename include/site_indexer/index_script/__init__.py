"""The index script language: bytes in, dated blocks and diagnostics out."""
