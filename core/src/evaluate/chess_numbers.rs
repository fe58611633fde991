//! Numbers of the chess evaluation, middlegame and endgame, in centipawns; written by `examples/tune.rs`.
//!
//! Origin: a collection of master games (PGN Mentor, by players; every second game) and games of one player at a server: 102053 games, 949679 quiet positions, 250 passes; cross-entropy of 49984 others 0.6335 before, 0.6295 after.

use super::chess_terms::COUNT;
use super::tapered::{Pair, pair};

#[rustfmt::skip]
pub(super) static NUMBERS: [Pair; COUNT] = [
    // pawn on a square, its material included
    pair(85, 114), pair(85, 112), pair(79, 110), pair(85, 108), pair(85, 108), pair(79, 110), pair(87, 112), pair(85, 114),
    pair(49, 135), pair(50, 129), pair(54, 129), pair(74, 125), pair(73, 155), pair(82, 126), pair(97, 112), pair(61, 114),
    pair(41, 125), pair(42, 123), pair(45, 106), pair(59, 108), pair(75, 117), pair(76, 104), pair(89, 108), pair(64, 105),
    pair(54, 134), pair(47, 137), pair(77, 85), pair(77, 80), pair(93, 92), pair(95, 84), pair(84, 116), pair(78, 112),
    pair(60, 156), pair(59, 137), pair(71, 109), pair(86, 90), pair(102, 89), pair(109, 86), pair(87, 132), pair(86, 129),
    pair(77, 186), pair(66, 189), pair(84, 141), pair(94, 122), pair(119, 135), pair(117, 139), pair(101, 162), pair(87, 175),
    pair(137, 185), pair(155, 192), pair(139, 172), pair(164, 180), pair(120, 196), pair(123, 178), pair(127, 188), pair(126, 205),
    pair(85, 114), pair(85, 112), pair(79, 110), pair(85, 108), pair(85, 108), pair(79, 110), pair(87, 112), pair(85, 114),
    // knight on a square
    pair(256, 277), pair(299, 266), pair(272, 284), pair(280, 302), pair(288, 284), pair(269, 286), pair(296, 259), pair(281, 275),
    pair(302, 291), pair(287, 306), pair(301, 271), pair(299, 284), pair(299, 279), pair(297, 289), pair(290, 290), pair(281, 288),
    pair(313, 272), pair(303, 282), pair(305, 291), pair(315, 302), pair(312, 304), pair(304, 281), pair(308, 279), pair(308, 293),
    pair(318, 315), pair(317, 298), pair(330, 308), pair(324, 311), pair(331, 318), pair(334, 310), pair(363, 300), pair(317, 300),
    pair(347, 326), pair(327, 301), pair(337, 318), pair(353, 322), pair(339, 328), pair(358, 312), pair(342, 318), pair(343, 312),
    pair(327, 304), pair(315, 314), pair(376, 296), pair(371, 311), pair(375, 305), pair(393, 320), pair(342, 313), pair(340, 275),
    pair(343, 299), pair(355, 302), pair(344, 299), pair(342, 335), pair(368, 304), pair(364, 291), pair(345, 288), pair(331, 323),
    pair(227, 263), pair(306, 312), pair(311, 301), pair(333, 322), pair(358, 333), pair(299, 320), pair(304, 293), pair(233, 276),
    // bishop on a square
    pair(358, 290), pair(352, 314), pair(335, 325), pair(324, 316), pair(328, 328), pair(326, 311), pair(322, 313), pair(310, 313),
    pair(353, 294), pair(346, 297), pair(349, 303), pair(329, 331), pair(323, 316), pair(341, 294), pair(345, 283), pair(328, 279),
    pair(345, 313), pair(365, 311), pair(336, 333), pair(338, 322), pair(341, 339), pair(334, 309), pair(361, 290), pair(343, 310),
    pair(359, 308), pair(344, 320), pair(342, 326), pair(357, 320), pair(347, 327), pair(346, 315), pair(334, 306), pair(367, 309),
    pair(329, 337), pair(341, 323), pair(349, 328), pair(355, 328), pair(353, 338), pair(367, 310), pair(346, 330), pair(328, 321),
    pair(348, 324), pair(346, 333), pair(333, 323), pair(359, 323), pair(354, 304), pair(384, 331), pair(350, 329), pair(353, 333),
    pair(369, 332), pair(351, 328), pair(360, 322), pair(366, 329), pair(362, 326), pair(329, 324), pair(317, 338), pair(354, 322),
    pair(305, 335), pair(326, 332), pair(320, 347), pair(329, 342), pair(336, 337), pair(341, 324), pair(324, 324), pair(333, 312),
    // rook on a square
    pair(440, 556), pair(445, 538), pair(455, 546), pair(457, 536), pair(459, 525), pair(452, 545), pair(464, 534), pair(444, 546),
    pair(443, 546), pair(444, 536), pair(461, 544), pair(453, 529), pair(468, 516), pair(455, 534), pair(461, 511), pair(430, 550),
    pair(440, 551), pair(433, 557), pair(440, 550), pair(443, 543), pair(464, 528), pair(460, 548), pair(468, 545), pair(457, 562),
    pair(435, 575), pair(465, 570), pair(460, 561), pair(469, 556), pair(465, 554), pair(445, 566), pair(469, 552), pair(448, 570),
    pair(465, 584), pair(472, 578), pair(468, 582), pair(489, 566), pair(478, 574), pair(493, 560), pair(497, 574), pair(495, 569),
    pair(469, 581), pair(490, 578), pair(495, 572), pair(516, 559), pair(550, 537), pair(526, 554), pair(511, 558), pair(498, 575),
    pair(469, 566), pair(486, 561), pair(507, 557), pair(504, 552), pair(520, 532), pair(501, 543), pair(497, 549), pair(502, 552),
    pair(476, 568), pair(489, 574), pair(478, 574), pair(477, 572), pair(492, 571), pair(500, 565), pair(510, 575), pair(491, 568),
    // queen on a square
    pair(976, 936), pair(974, 950), pair(968, 962), pair(970, 972), pair(984, 938), pair(958, 923), pair(957, 936), pair(983, 969),
    pair(962, 953), pair(978, 954), pair(976, 963), pair(982, 960), pair(975, 962), pair(992, 934), pair(973, 927), pair(989, 936),
    pair(980, 962), pair(968, 991), pair(972, 998), pair(963, 990), pair(978, 993), pair(971, 1004), pair(995, 988), pair(979, 972),
    pair(969, 982), pair(962, 1002), pair(972, 995), pair(968, 1017), pair(969, 1022), pair(983, 996), pair(995, 986), pair(990, 1002),
    pair(967, 993), pair(986, 999), pair(974, 1013), pair(986, 1014), pair(965, 1060), pair(966, 1029), pair(978, 1022), pair(976, 1019),
    pair(976, 987), pair(983, 1004), pair(987, 1017), pair(979, 1031), pair(1008, 993), pair(1010, 992), pair(1004, 1008), pair(974, 1016),
    pair(989, 972), pair(966, 972), pair(980, 1020), pair(984, 1012), pair(981, 1013), pair(988, 1017), pair(999, 995), pair(1040, 992),
    pair(966, 950), pair(998, 988), pair(986, 974), pair(999, 995), pair(992, 995), pair(999, 999), pair(1011, 986), pair(993, 976),
    // king on a square
    pair(19, -83), pair(50, -65), pair(33, -49), pair(10, -44), pair(-13, -50), pair(-30, -36), pair(17, -55), pair(19, -101),
    pair(26, -48), pair(24, -27), pair(14, -33), pair(-3, -20), pair(-14, -22), pair(-30, -15), pair(5, -24), pair(11, -46),
    pair(-7, -31), pair(-1, -13), pair(7, -6), pair(-41, 1), pair(-22, 1), pair(-22, -5), pair(-16, -8), pair(-41, -32),
    pair(-29, -20), pair(-26, 6), pair(-26, 31), pair(-21, 34), pair(-16, 20), pair(-42, 16), pair(-44, 20), pair(-79, -18),
    pair(-41, 4), pair(-15, 37), pair(-44, 47), pair(-56, 38), pair(-66, 52), pair(-46, 62), pair(-37, 47), pair(-49, 5),
    pair(-49, 13), pair(-33, 51), pair(-30, 68), pair(-62, 56), pair(-69, 45), pair(-56, 61), pair(-18, 68), pair(-41, 13),
    pair(-37, -3), pair(-34, 38), pair(-40, 45), pair(-72, 23), pair(-61, 42), pair(-68, 40), pair(-24, 44), pair(-38, 14),
    pair(-41, -19), pair(-33, -6), pair(-46, 4), pair(-68, 10), pair(-62, 24), pair(-63, 6), pair(-33, 12), pair(-45, -36),
    // knight, by squares it may go to that no pawn guards
    pair(-53, -87), pair(-27, -53), pair(-22, 2), pair(-17, 21), pair(-10, 39), pair(-2, 53), pair(3, 58), pair(4, 59), pair(9, 46),
    // bishop, the same
    pair(-29, -92), pair(-35, -23), pair(-18, -8), pair(-15, 10), pair(-8, 26), pair(-4, 37), pair(-1, 44),
    pair(3, 46), pair(2, 53), pair(6, 53), pair(12, 53), pair(33, 43), pair(52, 45), pair(33, 25),
    // rook, the same
    pair(-46, -41), pair(-48, -25), pair(-45, 13), pair(-45, 31), pair(-41, 36), pair(-41, 52), pair(-37, 61), pair(-32, 60),
    pair(-29, 69), pair(-24, 75), pair(-25, 80), pair(-18, 80), pair(-15, 83), pair(-16, 80), pair(5, 72),
    // queen, the same
    pair(-16, -37), pair(-19, -37), pair(-28, -32), pair(-17, -43), pair(-10, -78), pair(-19, -49), pair(-17, -27),
    pair(-17, -8), pair(-14, 0), pair(-12, 15), pair(-9, 22), pair(-6, 25), pair(-5, 33), pair(1, 37),
    pair(1, 38), pair(-2, 50), pair(0, 49), pair(18, 31), pair(11, 43), pair(6, 42), pair(26, 24),
    pair(23, 20), pair(28, 31), pair(26, 11), pair(11, 25), pair(5, 18), pair(8, 25), pair(13, 38),
    // two bishops; own pawns on a bishop's colour; rook on an open, a half-open file, on the seventh rank
    pair(38, 92), pair(-6, -9), pair(18, 15), pair(16, 0), pair(-16, 11),
    // knight, bishop on a square that a pawn guards and none can attack
    pair(19, 12), pair(41, 0),
    // doubled, isolated, backward pawn
    pair(-21, -11), pair(-8, -12), pair(-9, -7),
    // pawn beside another, by rank
    pair(0, 0), pair(0, 2), pair(7, 4), pair(8, 12), pair(17, 32), pair(44, 45), pair(13, 27), pair(0, 0),
    // pawn guarded by another, by rank
    pair(0, 0), pair(0, 0), pair(12, 18), pair(5, 15), pair(15, 18), pair(36, 27), pair(18, 53), pair(0, 0),
    // passed pawn, by rank
    pair(0, 0), pair(-4, 16), pair(-20, 25), pair(-1, 37), pair(28, 69), pair(25, 108), pair(67, 135), pair(0, 0),
    // passed pawn with the square before it taken, by rank
    pair(0, 0), pair(-6, 7), pair(4, -0), pair(-11, -12), pair(-12, -15), pair(1, -31), pair(-57, -25), pair(0, 0),
    // passed pawn with the square before it not attacked, by rank
    pair(0, 0), pair(13, -8), pair(12, 4), pair(-14, 10), pair(-10, 17), pair(37, 14), pair(22, 50), pair(0, 0),
    // passed pawn from the fourth rank on, by distance of its king
    pair(15, 27), pair(-9, 45), pair(3, 7), pair(-33, -6), pair(-19, -29), pair(-9, -40), pair(12, -45), pair(4, -33),
    // passed pawn from the fourth rank on, by distance of the other king
    pair(-68, -19), pair(11, -25), pair(13, -2), pair(17, 20), pair(0, 53), pair(14, 55), pair(10, 60), pair(4, 34),
    // own pawn nearest before the king, on the three files, by rank; 0: none
    pair(-7, -1), pair(20, -5), pair(10, -8), pair(5, -3), pair(1, 1), pair(-7, 7), pair(11, 26), pair(0, 0),
    // enemy pawn nearest before the king, on the three files, by rank; 0: none
    pair(-3, -5), pair(34, 54), pair(-46, 39), pair(-7, -4), pair(3, -14), pair(9, -15), pair(6, -16), pair(0, 0),
    // king attacked, by weight of the attack, with an enemy queen
    pair(0, 0), pair(0, 0), pair(2, 0), pair(4, 0), pair(1, 9), pair(1, -10), pair(-1, 5), pair(16, 35),
    pair(14, 28), pair(21, 23), pair(1, 24), pair(12, 21), pair(28, 6), pair(27, 16), pair(39, 30), pair(74, 17),
    pair(87, 18), pair(86, 24), pair(136, -6), pair(164, -1), pair(138, -5), pair(204, -10), pair(207, -22), pair(240, -9),
    pair(257, -10), pair(236, -13), pair(255, -4), pair(265, 6), pair(261, -0), pair(264, -1), pair(259, 1), pair(268, 0),
    // king attacked, by weight of the attack, without
    pair(0, 0), pair(0, 0), pair(1, 0), pair(2, 0), pair(4, 0), pair(6, 0), pair(-5, 7), pair(5, 2),
    pair(6, -8), pair(-8, -9), pair(-2, -12), pair(30, -17), pair(17, 2), pair(19, -4), pair(41, -8), pair(54, -3),
    pair(46, 1), pair(68, 2), pair(79, 3), pair(99, 5), pair(103, 7), pair(118, -6), pair(127, 1), pair(139, 3),
    pair(135, 8), pair(133, -1), pair(132, 0), pair(129, -6), pair(136, 5), pair(129, -4), pair(130, -0), pair(130, 0),
    // pawn attacks a knight, bishop, rook, queen
    pair(0, 0), pair(36, 48), pair(24, 54), pair(46, 24), pair(29, 28), pair(0, 0),
    // knight or bishop attacks a pawn, knight, bishop, rook, queen
    pair(-3, 12), pair(18, 54), pair(36, 33), pair(41, 33), pair(20, 60), pair(0, 0),
    // rook attacks a pawn, knight, bishop, rook, queen
    pair(-9, 22), pair(2, 19), pair(10, 16), pair(4, -7), pair(38, 34), pair(0, 0),
    // pawn, knight, bishop, rook, queen attacked and not guarded
    pair(9, 31), pair(9, 9), pair(1, 20), pair(7, 15), pair(4, 7), pair(0, 0),
    // king on a file without own pawns, without any
    pair(-2, 3), pair(-34, -11),
    // free squares behind the own pawns in the centre
    pair(-4, 15),
    // knight by distance from its king
    pair(0, 0), pair(9, 28), pair(3, 27), pair(-5, 28), pair(-14, 25), pair(-14, 13), pair(-25, 20), pair(-50, 7),
    // bishop by distance from its king
    pair(0, 0), pair(1, 34), pair(-5, 30), pair(-9, 28), pair(-9, 23), pair(-13, 23), pair(-16, 20), pair(-24, 13),
    // squares of the king's wing that the other side sees, by number
    pair(31, -47), pair(16, -14), pair(8, 3), pair(8, 11), pair(9, 13), pair(9, 14), pair(6, 17), pair(3, 18),
    pair(0, 15), pair(-3, 5), pair(-13, 0), pair(-27, -8), pair(-46, -0), pair(-34, -7), pair(-8, -3), pair(0, 0),
    // squares of the king's wing that its own side sees; a right to castle; knight or bishop behind a pawn
    pair(-1, 2), pair(16, 8), pair(7, 18),
    // square that both see and no pawn of the other side guards
    pair(2, 3),
    // piece that a safe step of a pawn would attack
    pair(11, 26),
    // the right to move
    pair(11, 13),
];
