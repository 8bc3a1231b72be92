package io.statestore.dafka.node.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

import static io.statestore.dafka.node.internal.ZmtpClient.COMMAND;
import static io.statestore.dafka.node.internal.ZmtpClient.MORE;
import static io.statestore.dafka.node.internal.ZmtpClient.command;
import static io.statestore.dafka.node.internal.ZmtpClient.concat;
import static io.statestore.dafka.node.internal.ZmtpClient.frame;
import static io.statestore.dafka.node.internal.ZmtpClient.greeting;
import static io.statestore.dafka.node.internal.ZmtpClient.longFrame;
import static io.statestore.dafka.node.internal.ZmtpClient.property;
import static io.statestore.dafka.node.internal.ZmtpClient.ready;
import static io.statestore.dafka.node.internal.ZmtpClient.subscription;

/**
 * Bytes of hostile connections. Each kind violates part of ZMTP or exhausts a resource.
 * The bytes depend only on the random number generator.
 */
enum HostileTraffic {

	/** Greetings with changed, missing, and additional bytes. */
	GREETINGS(false) {
		@Override
		byte[] bytes(RandomGenerator random) {
			byte[] greeting = greeting(random.nextInt(5), random.nextInt(3), MECHANISMS.get(random.nextInt(5)));
			for (int i = random.nextInt(4); i > 0; i--) {
				greeting[random.nextInt(greeting.length)] = (byte) random.nextInt();
			}
			byte[] all = concat(greeting, ready(socketType(random)), random(random, random.nextInt(40)));
			return Arrays.copyOf(all, 1 + random.nextInt(all.length));
		}
	},

	/** Random bytes. */
	NOISE(false) {
		@Override
		byte[] bytes(RandomGenerator random) {
			return random(random, 1 + random.nextInt(2_000));
		}
	},

	/** READY and ERROR with odd metadata. */
	METADATA(false) {
		@Override
		byte[] bytes(RandomGenerator random) {
			List<byte[]> properties = new ArrayList<>();
			for (int i = random.nextInt(5); i > 0; i--) {
				properties.add(switch (random.nextInt(5)) {
					case 0 -> property("Socket-Type", socketType(random));
					case 1 -> property("Peer-Address", "127.0.0.1:" + random.nextInt(65_536));
					case 2 -> property("", "");
					case 3 -> ByteBuffer.allocate(6).put((byte) 1).put((byte) 'x').putInt(random.nextInt()).array();
					default -> random(random, random.nextInt(300));
				});
			}
			String name = switch (random.nextInt(4)) {
				case 0 -> "ERROR";
				case 1 -> "REA";
				default -> "READY";
			};
			byte[] command = command(name, concat(properties.toArray(byte[][]::new)));
			command[0] = (byte) ((random.nextInt(4) == 0) ? random.nextInt() : command[0]);
			return concat(greeting(), command, subscription(random(random, 5)), subscription(random(random, 5)));
		}
	},

	/** Frames with any flags, and with wrong lengths. */
	LENGTHS(true) {
		@Override
		byte[] bytes(RandomGenerator random) {
			long length = LENGTHS_TO_TRY[random.nextInt(LENGTHS_TO_TRY.length)];
			byte[] frame = longFrame(0, length, random(random, random.nextInt(300)));
			frame[0] = (byte) random.nextInt(256);
			return concat(subscription(random(random, 3)), frame);
		}
	},

	/** Commands of all lengths, including shorter lengths than JeroMQ expects. */
	COMMANDS(true) {
		@Override
		byte[] bytes(RandomGenerator random) {
			List<byte[]> commands = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				commands.add(command(COMMAND_NAMES.get(random.nextInt(COMMAND_NAMES.size())),
						random(random, random.nextInt(30))));
			}
			commands.add(frame(COMMAND, new byte[0]));
			commands.add(frame(COMMAND | MORE, "\4PING".getBytes(StandardCharsets.US_ASCII)));
			return concat(commands.toArray(byte[][]::new));
		}
	},

	/**
	 * Subscriptions to random prefixes and ends of subscriptions that do not exist.
	 */
	SUBSCRIPTIONS(true) {
		@Override
		byte[] bytes(RandomGenerator random) {
			List<byte[]> all = new ArrayList<>();
			for (int i = 0; i < 500; i++) {
				byte[] subscription = subscription(random(random, random.nextInt(250)));
				subscription[2] = (byte) random.nextInt(3);
				all.add(subscription);
			}
			return concat(all.toArray(byte[][]::new));
		}
	},

	/** A message with an endless number of frames. */
	MULTIPART(true) {
		@Override
		byte[] bytes(RandomGenerator random) {
			byte[][] all = new byte[2_000][];
			for (int i = 0; i < all.length; i++) {
				all[i] = frame(MORE, random(random, random.nextInt(50)));
			}
			return concat(all);
		}
	},

	/** Well-formed messages with random content. */
	MESSAGES(true) {
		@Override
		byte[] bytes(RandomGenerator random) {
			List<byte[]> all = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				all.add(frame(random.nextInt(2), random(random, random.nextInt(600))));
			}
			return concat(all.toArray(byte[][]::new));
		}
	};

	private static final List<String> MECHANISMS = List.of("NULL", "PLAIN", "CURVE", "", "NULLNULLNULLNULLNULL");

	private static final List<String> SOCKET_TYPES = List.of("SUB", "XSUB", "PUB", "XPUB", "REQ", "");

	private static final List<String> COMMAND_NAMES = List.of("PING", "PONG", "SUBSCRIBE", "CANCEL", "READY", "ERROR",
			"P", "");

	private static final long[] LENGTHS_TO_TRY = { 0, 1, 5, 6, 7, 255, 256, 1_024, 1_025, 65_536, 16 << 20,
			Integer.MAX_VALUE, 1L << 31, 1L << 32, Long.MAX_VALUE, -1, Long.MIN_VALUE, 0xFFFFFFFF_00000010L,
			0xFFFFFFFF_7FFFFFFFL };

	private final boolean afterHandshake;

	HostileTraffic(boolean afterHandshake) {
		this.afterHandshake = afterHandshake;
	}

	/** Returns whether these bytes follow a valid handshake. */
	boolean isAfterHandshake() {
		return this.afterHandshake;
	}

	/** Returns the bytes of a connection, without the handshake. */
	abstract byte[] bytes(RandomGenerator random);

	private static String socketType(RandomGenerator random) {
		return SOCKET_TYPES.get(random.nextInt(SOCKET_TYPES.size()));
	}

	private static byte[] random(RandomGenerator random, int length) {
		byte[] bytes = new byte[length];
		random.nextBytes(bytes);
		return bytes;
	}

}
