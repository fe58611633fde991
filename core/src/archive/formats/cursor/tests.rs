use super::*;

#[test]
fn fields_are_read_in_order_and_missing_ones_reported() {
    let mut cursor = Cursor::new(b"\x02\0\0\0ab\x01c\xff\xff\xff\xff", 100);
    assert_eq!(cursor.counted("a name").unwrap(), b"ab");
    assert_eq!(cursor.pascal("a letter").unwrap(), b"c");
    let defect = cursor.counted("a comment").unwrap_err();
    assert_eq!((defect.reason, defect.offset), ("truncated", 112));
    assert_eq!(defect.message, "expected a comment, found 0 bytes");
    assert_eq!((cursor.position(), cursor.rest().len()), (12, 0));
}
