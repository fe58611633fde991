use super::*;

#[test]
fn every_code_stands_for_one_byte() {
    let mut seen = [false; 256];
    for code in CODES {
        assert!(!std::mem::replace(&mut seen[usize::from(code)], true));
    }
}

#[test]
fn bytes_mean_what_the_description_says() {
    let go = |role, number, files, ranks| Opcode::Go { role, number, files, ranks };
    for (byte, meaning) in [
        (0xaa, Opcode::Null),
        (0x49, go(Role::King, 0, 0, 1)),
        (0x47, go(Role::King, 0, -1, 1)),
        (0x76, Opcode::Castle { is_short: true }),
        (0xb5, Opcode::Castle { is_short: false }),
        (0xa5, go(Role::Queen, 0, 0, 1)),
        (0x57, go(Role::Queen, 0, 7, 0)),
        (0x96, go(Role::Queen, 0, 7, 7)),
        (0x18, go(Role::Queen, 0, 7, -7)),
        (0x4e, go(Role::Rook, 0, 0, 1)),
        (0x52, go(Role::Rook, 1, 7, 0)),
        (0x02, go(Role::Bishop, 0, 1, 1)),
        (0x16, go(Role::Bishop, 1, 7, -7)),
        (0x58, go(Role::Knight, 0, 2, 1)),
        (0x34, go(Role::Knight, 1, 2, -1)),
        (0x2d, go(Role::Pawn, 0, 0, 1)),
        (0xff, go(Role::Pawn, 4, 0, 2)),
        (0x19, go(Role::Pawn, 7, -1, 1)),
        (0xe5, go(Role::Queen, 1, 0, 1)),
        (0xdb, go(Role::Queen, 2, 7, -7)),
        (0x81, go(Role::Rook, 2, 0, 1)),
        (0xc8, go(Role::Bishop, 2, 7, -7)),
        (0x27, go(Role::Knight, 2, 2, -1)),
        (0x29, Opcode::Squares),
        (0x9f, Opcode::Padding),
        (0x25, Opcode::Unknown),
        (0xdc, Opcode::Fork),
        (0x0c, Opcode::End),
    ] {
        assert_eq!(decode(byte, 0), meaning, "{byte:#04x}");
        assert_eq!(decode(byte.wrapping_add(200), 200), meaning, "{byte:#04x}");
    }
}
