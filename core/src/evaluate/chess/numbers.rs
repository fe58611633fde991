//! Numbers of the chess evaluation, middlegame and endgame, in centipawns; fitted to the results of games.
//!
//! Origin: a collection of master games (PGN Mentor, by players) and games of one player at a server: 194206 games, 1817806 quiet positions, 200 passes; cross-entropy of 91299 of other games 0.6305 before, 0.6298 after.

use super::terms::COUNT;
use crate::evaluate::{Pair, pair};

#[rustfmt::skip]
pub(super) static NUMBERS: [Pair; COUNT] = [
    // pawn on a square, its material included
    pair(85, 114), pair(85, 112), pair(79, 110), pair(85, 108), pair(85, 108), pair(79, 110), pair(87, 112), pair(85, 114),
    pair(44, 146), pair(43, 143), pair(43, 136), pair(74, 130), pair(69, 156), pair(57, 134), pair(82, 130), pair(60, 131),
    pair(33, 133), pair(36, 133), pair(35, 117), pair(56, 119), pair(68, 129), pair(56, 113), pair(81, 119), pair(49, 123),
    pair(47, 143), pair(43, 144), pair(65, 99), pair(72, 85), pair(85, 95), pair(76, 101), pair(78, 133), pair(66, 128),
    pair(50, 169), pair(51, 147), pair(64, 123), pair(79, 94), pair(97, 93), pair(77, 111), pair(86, 136), pair(78, 145),
    pair(70, 187), pair(63, 176), pair(94, 129), pair(98, 128), pair(116, 132), pair(85, 142), pair(93, 164), pair(60, 175),
    pair(157, 197), pair(156, 194), pair(164, 163), pair(171, 175), pair(134, 199), pair(107, 167), pair(114, 187), pair(101, 216),
    pair(85, 114), pair(85, 112), pair(79, 110), pair(85, 108), pair(85, 108), pair(79, 110), pair(87, 112), pair(85, 114),
    // knight on a square
    pair(251, 287), pair(301, 265), pair(268, 291), pair(285, 300), pair(284, 286), pair(268, 289), pair(293, 266), pair(283, 292),
    pair(297, 303), pair(282, 324), pair(302, 272), pair(294, 283), pair(297, 286), pair(295, 282), pair(282, 304), pair(281, 286),
    pair(314, 271), pair(301, 285), pair(302, 289), pair(312, 303), pair(306, 302), pair(301, 279), pair(306, 280), pair(305, 284),
    pair(319, 317), pair(313, 310), pair(325, 310), pair(319, 311), pair(317, 317), pair(328, 311), pair(339, 295), pair(314, 307),
    pair(349, 324), pair(325, 300), pair(337, 313), pair(340, 330), pair(331, 325), pair(342, 312), pair(331, 311), pair(338, 314),
    pair(306, 324), pair(319, 304), pair(370, 301), pair(363, 307), pair(376, 300), pair(394, 301), pair(335, 308), pair(318, 284),
    pair(347, 315), pair(360, 318), pair(363, 304), pair(361, 330), pair(375, 307), pair(375, 297), pair(360, 299), pair(325, 329),
    pair(174, 295), pair(323, 334), pair(322, 317), pair(348, 336), pair(370, 334), pair(305, 342), pair(307, 305), pair(216, 285),
    // bishop on a square
    pair(360, 294), pair(352, 312), pair(332, 326), pair(316, 317), pair(330, 323), pair(320, 320), pair(324, 306), pair(307, 303),
    pair(352, 300), pair(343, 300), pair(350, 308), pair(322, 331), pair(318, 321), pair(337, 305), pair(338, 297), pair(328, 293),
    pair(345, 310), pair(360, 318), pair(336, 332), pair(336, 324), pair(335, 341), pair(329, 317), pair(353, 299), pair(343, 314),
    pair(363, 300), pair(334, 323), pair(336, 331), pair(353, 323), pair(346, 321), pair(342, 323), pair(330, 318), pair(357, 314),
    pair(330, 351), pair(339, 331), pair(350, 328), pair(360, 325), pair(354, 332), pair(360, 319), pair(343, 337), pair(330, 320),
    pair(346, 331), pair(332, 345), pair(341, 333), pair(362, 323), pair(364, 317), pair(375, 329), pair(340, 335), pair(337, 344),
    pair(371, 325), pair(341, 339), pair(359, 339), pair(351, 338), pair(366, 338), pair(345, 322), pair(309, 337), pair(350, 322),
    pair(296, 358), pair(316, 337), pair(319, 359), pair(294, 353), pair(330, 342), pair(317, 332), pair(325, 329), pair(334, 320),
    // rook on a square
    pair(429, 570), pair(434, 557), pair(441, 563), pair(447, 554), pair(449, 544), pair(442, 558), pair(455, 549), pair(438, 559),
    pair(426, 560), pair(424, 558), pair(444, 558), pair(443, 550), pair(453, 541), pair(446, 547), pair(465, 521), pair(430, 554),
    pair(427, 579), pair(429, 571), pair(430, 571), pair(440, 561), pair(456, 548), pair(446, 562), pair(461, 555), pair(449, 568),
    pair(431, 594), pair(444, 582), pair(442, 581), pair(462, 574), pair(446, 578), pair(438, 592), pair(469, 576), pair(442, 585),
    pair(453, 604), pair(460, 596), pair(460, 599), pair(496, 574), pair(472, 590), pair(488, 579), pair(483, 580), pair(491, 581),
    pair(455, 602), pair(480, 594), pair(481, 589), pair(495, 569), pair(545, 543), pair(526, 565), pair(523, 571), pair(486, 587),
    pair(467, 567), pair(472, 566), pair(498, 561), pair(509, 554), pair(513, 540), pair(508, 549), pair(506, 551), pair(502, 554),
    pair(473, 592), pair(477, 591), pair(442, 609), pair(479, 593), pair(475, 595), pair(494, 585), pair(514, 595), pair(497, 586),
    // queen on a square
    pair(983, 928), pair(978, 978), pair(976, 964), pair(973, 980), pair(985, 948), pair(963, 941), pair(963, 932), pair(977, 988),
    pair(961, 974), pair(985, 965), pair(979, 975), pair(986, 964), pair(979, 980), pair(988, 948), pair(986, 945), pair(998, 912),
    pair(976, 976), pair(973, 990), pair(975, 1012), pair(965, 1010), pair(980, 1006), pair(975, 1019), pair(994, 988), pair(982, 978),
    pair(973, 994), pair(964, 1020), pair(975, 1010), pair(965, 1041), pair(970, 1043), pair(984, 1014), pair(991, 998), pair(987, 1001),
    pair(969, 1021), pair(984, 1021), pair(973, 1050), pair(984, 1045), pair(967, 1077), pair(979, 1046), pair(972, 1061), pair(982, 1041),
    pair(983, 1001), pair(986, 1016), pair(983, 1031), pair(974, 1052), pair(1016, 1011), pair(1018, 1018), pair(1016, 1019), pair(978, 1059),
    pair(979, 994), pair(957, 1012), pair(972, 1030), pair(982, 1024), pair(985, 1040), pair(960, 1028), pair(989, 1022), pair(1046, 1005),
    pair(976, 978), pair(999, 991), pair(988, 985), pair(1012, 1013), pair(1004, 1012), pair(1005, 1010), pair(1028, 1000), pair(1018, 979),
    // king on a square
    pair(20, -90), pair(40, -63), pair(11, -50), pair(-7, -51), pair(-17, -60), pair(-29, -50), pair(15, -59), pair(22, -102),
    pair(37, -53), pair(15, -33), pair(12, -35), pair(-19, -24), pair(-27, -30), pair(-30, -27), pair(5, -34), pair(4, -50),
    pair(6, -38), pair(14, -18), pair(8, -8), pair(-34, -4), pair(-29, -3), pair(-26, -7), pair(-14, -17), pair(-18, -51),
    pair(-31, -11), pair(-27, 8), pair(-17, 25), pair(-1, 29), pair(-16, 19), pair(-33, 13), pair(-48, 12), pair(-94, -16),
    pair(-40, 11), pair(11, 34), pair(-32, 57), pair(-54, 45), pair(-66, 55), pair(-44, 64), pair(-40, 42), pair(-50, 8),
    pair(-47, 16), pair(-21, 57), pair(-20, 66), pair(-46, 59), pair(-59, 42), pair(-45, 65), pair(-3, 66), pair(-29, 21),
    pair(-32, -12), pair(-21, 57), pair(-37, 45), pair(-66, 29), pair(-62, 51), pair(-59, 70), pair(-16, 51), pair(-25, 25),
    pair(-37, -17), pair(-28, 9), pair(-43, 6), pair(-56, 34), pair(-59, 42), pair(-56, 17), pair(-23, 35), pair(-43, -33),
    // knight, by squares it may go to that no pawn guards
    pair(-60, -116), pair(-42, -34), pair(-33, 17), pair(-26, 37), pair(-18, 54), pair(-11, 70), pair(-6, 74), pair(-4, 77), pair(-4, 68),
    // bishop, the same
    pair(-34, -79), pair(-41, -7), pair(-26, 7), pair(-24, 27), pair(-18, 39), pair(-14, 50), pair(-11, 59),
    pair(-8, 61), pair(-8, 69), pair(-5, 67), pair(-4, 66), pair(17, 66), pair(45, 59), pair(23, 43),
    // rook, the same
    pair(-86, -66), pair(-69, 22), pair(-63, 60), pair(-61, 76), pair(-57, 83), pair(-56, 93), pair(-53, 104), pair(-48, 105),
    pair(-45, 114), pair(-39, 117), pair(-41, 126), pair(-36, 126), pair(-36, 130), pair(-27, 125), pair(-15, 119),
    // queen, the same
    pair(-16, -37), pair(-20, -39), pair(-18, -30), pair(-13, -41), pair(-7, -48), pair(-14, -2), pair(-12, 22),
    pair(-12, 41), pair(-10, 51), pair(-9, 64), pair(-6, 74), pair(-3, 76), pair(-1, 80), pair(-0, 89),
    pair(0, 94), pair(2, 96), pair(1, 100), pair(6, 96), pair(7, 96), pair(16, 84), pair(44, 55),
    pair(52, 46), pair(32, 54), pair(43, 21), pair(36, 25), pair(17, 11), pair(8, 20), pair(9, 22),
    // two bishops; own pawns on a bishop's colour; rook on an open, a half-open file, on the seventh rank
    pair(35, 93), pair(-6, -9), pair(19, 10), pair(14, 4), pair(-22, 27),
    // knight, bishop on a square that a pawn guards and none can attack
    pair(19, 8), pair(34, 5),
    // doubled, isolated, backward pawn
    pair(-14, -16), pair(-8, -13), pair(-8, -10),
    // pawn beside another, by rank
    pair(0, 0), pair(0, 1), pair(7, 3), pair(8, 11), pair(17, 34), pair(60, 57), pair(41, 73), pair(0, 0),
    // pawn guarded by another, by rank
    pair(0, 0), pair(0, 0), pair(11, 17), pair(6, 16), pair(17, 19), pair(33, 38), pair(29, 66), pair(0, 0),
    // passed pawn, by rank
    pair(0, 0), pair(2, 9), pair(-16, 22), pair(0, 33), pair(27, 68), pair(19, 123), pair(82, 135), pair(0, 0),
    // passed pawn with the square before it taken, by rank
    pair(0, 0), pair(-7, 5), pair(1, 4), pair(-18, -5), pair(-14, -15), pair(2, -31), pair(-71, -17), pair(0, 0),
    // passed pawn with the square before it not attacked, by rank
    pair(0, 0), pair(8, 3), pair(9, 7), pair(-12, 9), pair(-1, 15), pair(46, 18), pair(55, 52), pair(0, 0),
    // passed pawn from the fourth rank on, by distance of its king
    pair(27, 23), pair(-13, 46), pair(-1, 9), pair(-26, -5), pair(-14, -28), pair(-8, -37), pair(7, -41), pair(1, -35),
    // passed pawn from the fourth rank on, by distance of the other king
    pair(-62, -16), pair(4, -23), pair(6, 0), pair(15, 20), pair(1, 50), pair(18, 54), pair(12, 57), pair(20, 42),
    // own pawn nearest before the king, by the file's distance from the edge and rank; 0: none
    pair(-18, 7), pair(13, -17), pair(14, -9), pair(12, -3), pair(15, 12), pair(44, 14), pair(8, 39), pair(0, 0),
    pair(-13, -1), pair(29, -17), pair(10, -8), pair(-4, -4), pair(-20, 14), pair(-18, 29), pair(32, 41), pair(0, 0),
    pair(-18, -4), pair(28, -2), pair(7, -7), pair(1, -3), pair(12, -1), pair(-14, 13), pair(27, 27), pair(0, 0),
    pair(3, -6), pair(4, 2), pair(7, -5), pair(2, 9), pair(-4, 9), pair(-26, 14), pair(-20, 20), pair(0, 0),
    // enemy pawn nearest before the king, by the file's distance from the edge and rank; 0: none
    pair(-9, -15), pair(61, 72), pair(-18, 36), pair(3, 11), pair(4, -15), pair(4, -17), pair(8, -19), pair(0, 0),
    pair(-7, -13), pair(37, 94), pair(-27, 56), pair(-6, -4), pair(-0, -10), pair(12, -19), pair(10, -20), pair(0, 0),
    pair(6, -7), pair(-6, 51), pair(-46, 48), pair(-15, 5), pair(2, -12), pair(6, -19), pair(6, -19), pair(0, 0),
    pair(-4, -8), pair(13, 65), pair(-32, 55), pair(-18, -7), pair(1, -22), pair(7, -6), pair(0, -15), pair(0, 0),
    // the latter right before the former, by rank
    pair(0, 0), pair(0, 0), pair(0, -71), pair(15, -17), pair(9, -13), pair(4, -17), pair(-1, -26), pair(0, 0),
    // king in danger, by the place of `danger`; 0: not
    pair(0, 0), pair(1, -9), pair(1, 5), pair(-1, 1), pair(1, 9), pair(3, 4), pair(10, 9), pair(7, 7),
    pair(3, 15), pair(9, 17), pair(8, 17), pair(15, 12), pair(15, 19), pair(19, 23), pair(26, 21), pair(22, 20),
    pair(18, 34), pair(28, 25), pair(25, 35), pair(38, 23), pair(36, 30), pair(46, 30), pair(50, 34), pair(50, 32),
    pair(60, 23), pair(61, 34), pair(49, 47), pair(55, 52), pair(70, 39), pair(84, 25), pair(100, 39), pair(90, 35),
    pair(84, 48), pair(130, 29), pair(137, 24), pair(144, 28), pair(164, 12), pair(173, 11), pair(204, 1), pair(222, 28),
    // pawn attacks a knight, bishop, rook, queen
    pair(0, 0), pair(38, 47), pair(26, 56), pair(42, 31), pair(37, 36), pair(0, 0),
    // knight or bishop attacks a pawn, knight, bishop, rook, queen
    pair(-3, 12), pair(18, 50), pair(38, 32), pair(35, 25), pair(18, 61), pair(0, 0),
    // rook attacks a pawn, knight, bishop, rook, queen
    pair(-10, 18), pair(3, 21), pair(8, 14), pair(-22, -19), pair(41, 48), pair(0, 0),
    // pawn, knight, bishop, rook, queen attacked and not guarded
    pair(7, 35), pair(4, 14), pair(-2, 25), pair(-0, 18), pair(4, -1), pair(0, 0),
    // king on a file without own pawns, without any
    pair(-3, 3), pair(-29, -10),
    // free squares behind the own pawns in the centre
    pair(-3, 13),
    // knight by distance from its king
    pair(0, 0), pair(-2, 43), pair(-6, 44), pair(-12, 42), pair(-22, 42), pair(-21, 29), pair(-34, 26), pair(-54, 10),
    // bishop by distance from its king
    pair(0, 0), pair(-5, 48), pair(-12, 48), pair(-14, 42), pair(-18, 43), pair(-21, 41), pair(-27, 37), pair(-43, 35),
    // squares of the king's wing that the other side sees, by number
    pair(50, -61), pair(25, -19), pair(9, -1), pair(8, 4), pair(8, 8), pair(8, 11), pair(4, 15), pair(1, 17),
    pair(-1, 20), pair(-3, 13), pair(-13, 10), pair(-27, 8), pair(-45, 11), pair(-43, -6), pair(-7, 0), pair(0, 0),
    // squares of the king's wing that its own side sees; a right to castle; knight or bishop behind a pawn
    pair(-1, 2), pair(20, -13), pair(7, 16),
    // square that both see and no pawn of the other side guards
    pair(3, 1),
    // piece that a safe step of a pawn would attack
    pair(11, 24),
    // the right to move
    pair(11, 13),
];
