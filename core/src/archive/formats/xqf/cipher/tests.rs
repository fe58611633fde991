use super::*;

fn keys(head: [u8; 16]) -> (u8, u8, u8, u32, [u8; 8]) {
    let keys = Keys::of(&head, 0).unwrap();
    (keys.placement, keys.from, keys.to, keys.comment, std::array::from_fn(|index| keys.stream[index]))
}

#[test]
fn the_published_vectors_come_out() {
    let v18 = [0x58, 0x51, 0x12, 0xab, 0, 0, 0, 0, 0x2a, 0x36, 0xa3, 0xfd, 0x7f, 0x21, 0x2a, 0x36];
    assert_eq!(keys(v18), (243, 143, 219, 1312, [0x0b, 0x20, 0x03, 0x29, 0x20, 0x03, 0x2b, 0x70]));
    let v12 = [0x58, 0x51, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x19, 0xdb, 0x93, 0x79];
    assert_eq!(keys(v12), (113, 83, 137, 7386, [0; 8]));
    let v11 = [0x58, 0x51, 0x0b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x6a, 0x51, 0x43];
    assert_eq!(keys(v11), (114, 246, 98, 1385, [0; 8]));
}
