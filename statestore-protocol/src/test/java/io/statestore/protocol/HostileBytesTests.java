package io.statestore.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Decodes hostile bytes. Decoders must throw only {@link ProtocolException}, allocate at
 * most a small multiple of the input size, and accept only one form of each message.
 */
class HostileBytesTests {

	private static final List<String> HOSTILE_NUMBERS = List.of("0", "1", "-1", "00", "+1", "2000000000", "2147483647",
			"2147483648", "4294967296", "4294967297", "9223372036854775807", "18446744073709551617", "");

	@Property
	void randomBytesAreHarmless(@ForAll byte[] payload) {
		assertHarmless(payload);
	}

	@Property
	void randomTokensAreHarmless(@ForAll("tokens") byte[] payload) {
		assertHarmless(payload);
	}

	@Property
	void mutatedCommandsAreHarmless(@ForAll("commands") byte[] payload, @ForAll Random random) {
		assertHarmless(mutate(payload, random));
	}

	@Property
	void mutatedRepliesAreHarmless(@ForAll("replies") byte[] payload, @ForAll Random random) {
		assertHarmless(mutate(payload, random));
	}

	@Property
	void mutatedPagesAreHarmless(@ForAll("pages") byte[] payload, @ForAll Random random) {
		assertHarmless(mutate(payload, random));
	}

	@Property
	void mutatedNotificationsAreHarmless(@ForAll("notifications") byte[] payload, @ForAll Random random) {
		assertHarmless(mutate(payload, random));
	}

	@Property
	void mutatedVersionsAreHarmless(@ForAll("versions") byte[] text, @ForAll Random random) {
		String mutated = new String(mutate(text, random), StandardCharsets.UTF_8);
		try {
			Version version = Version.parse(mutated);
			assertThat(Version.parse(version.toString())).isEqualTo(version);
		}
		catch (ProtocolException ex) {
			assertThat(ex.reason()).isEqualTo(ErrorReason.MALFORMED_TIMESTAMP);
		}
	}

	private static void assertHarmless(byte[] bytes) {
		Bytes payload = Bytes.wrap(bytes);
		long limit = 2_048 + 8L * bytes.length;
		assertThat(Allocation.warm(() -> Commands.decode(payload))).isLessThan(limit);
		assertThat(Allocation.warm(() -> Commands.decode(payload, ProtocolDialect.SPECIFICATION))).isLessThan(limit);
		assertThat(Allocation.warm(() -> Replies.decode(payload))).isLessThan(limit);
		assertThat(Allocation.warm(() -> Notifications.decode(payload))).isLessThan(limit);
		assertOneForm(payload);
	}

	/** Decodes a payload as a command, a reply, and a notification. */
	static void assertOneForm(Bytes payload) {
		try {
			assertOnlyForm(payload, Commands.decode(payload));
		}
		catch (ProtocolException ex) {
			assertThat(ex.reason()).isNotEqualTo(ErrorReason.UNKNOWN);
		}
		try {
			Reply reply = Replies.decode(payload);
			assertThat(Replies.decode(Bytes.wrap(Replies.encode(reply)))).isEqualTo(reply);
			if (!(reply instanceof Reply.Error)) {
				byte[] encoded = Replies.encode(reply, ProtocolDialect.CLIENTS);
				assertThat(payload).isIn(Bytes.wrap(encoded), Bytes.wrap(encoded).slice(0, encoded.length - 2),
						Bytes.wrap(Replies.encode(reply, ProtocolDialect.SPECIFICATION)));
			}
		}
		catch (ProtocolException ex) {
			assertThat(ex.reason()).isEqualTo(ErrorReason.SYNTAX_ERROR);
		}
		try {
			Notification notification = Notifications.decode(payload);
			assertThat(payload).isIn(Bytes.wrap(Notifications.encode(notification, ProtocolDialect.CLIENTS)),
					Bytes.wrap(Notifications.encode(notification, ProtocolDialect.SPECIFICATION)));
		}
		catch (ProtocolException ex) {
			assertThat(ex.reason()).isEqualTo(ErrorReason.SYNTAX_ERROR);
		}
	}

	/** Compares the encoding with the payload, except for the order of options. */
	private static void assertOnlyForm(Bytes payload, Command command) {
		byte[] form = Commands.encode(command);
		byte[] given = payload.toArray();
		if (command instanceof Command.Set set && set.condition() != Command.Condition.ALWAYS && set.expiry() != null) {
			Arrays.sort(form);
			Arrays.sort(given);
		}
		assertThat(given).isEqualTo(form);
	}

	private static byte[] mutate(byte[] valid, Random random) {
		byte[] bytes = valid;
		for (int i = random.nextInt(3); i >= 0 && bytes.length > 0; i--) {
			int at = random.nextInt(bytes.length);
			int to = Math.min(bytes.length, at + 1 + random.nextInt(8));
			bytes = switch (random.nextInt(6)) {
				case 0 -> splice(bytes, at, at + 1, new byte[] { (byte) random.nextInt() });
				case 1 -> splice(bytes, at, to, new byte[0]);
				case 2 -> splice(bytes, at, at, Arrays.copyOfRange(bytes, at, to));
				case 3 -> Arrays.copyOf(bytes, at);
				case 4 -> splice(bytes, at, at + 1, new byte[] { (byte) (bytes[at] ^ (1 << random.nextInt(8))) });
				default -> replaceNumber(bytes, at, random);
			};
		}
		return bytes;
	}

	private static byte[] replaceNumber(byte[] bytes, int from, Random random) {
		int start = from;
		while (start < bytes.length && !Character.isDigit(bytes[start])) {
			start++;
		}
		int end = start;
		while (end < bytes.length && Character.isDigit(bytes[end])) {
			end++;
		}
		String number = HOSTILE_NUMBERS.get(random.nextInt(HOSTILE_NUMBERS.size()));
		return splice(bytes, start, end, number.getBytes(StandardCharsets.US_ASCII));
	}

	private static byte[] splice(byte[] bytes, int from, int to, byte[] replacement) {
		byte[] result = new byte[bytes.length - (to - from) + replacement.length];
		System.arraycopy(bytes, 0, result, 0, from);
		System.arraycopy(replacement, 0, result, from, replacement.length);
		System.arraycopy(bytes, to, result, from + replacement.length, bytes.length - to);
		return result;
	}

	@Provide
	Arbitrary<byte[]> tokens() {
		return Arbitraries
			.of("*", "$", ":", "+", "-", "\r\n", "0", "1", "2", "3", "*1\r\n", "*2\r\n", "*3\r\n", "$1\r\n",
					"$3\r\nGET\r\n", "$3\r\nSET\r\n", "$1\r\nk\r\n", "$0\r\n\r\n", "$2\r\nPX\r\n", "$2\r\nNX\r\n",
					"$6\r\nNOTIFY\r\n", "$3\r\nDEL\r\n", "OK", "-ERR", " ", "x", "\u00fc", "2000000000")
			.list()
			.ofMaxSize(10)
			.map((tokens) -> String.join("", tokens).getBytes(StandardCharsets.UTF_8));
	}

	@Provide
	Arbitrary<byte[]> commands() {
		return Generators.commands().map(Commands::encode);
	}

	@Provide
	Arbitrary<byte[]> replies() {
		return Combinators.combine(Generators.replies(), Arbitraries.of(ProtocolDialect.class)).as(Replies::encode);
	}

	@Provide
	Arbitrary<byte[]> pages() {
		return Generators.pages().map(Replies::encode);
	}

	@Provide
	Arbitrary<byte[]> notifications() {
		return Combinators.combine(Generators.notifications(), Arbitraries.of(ProtocolDialect.class))
			.as(Notifications::encode);
	}

	@Provide
	Arbitrary<byte[]> versions() {
		return Generators.versions().map((version) -> version.toPaddedString().getBytes(StandardCharsets.UTF_8));
	}

}
