package io.statestore.dafka.reading.internal;

import java.util.Arrays;
import java.util.Random;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Properties of the codec: it decodes what it encodes, does not throw exceptions for
 * malformed bytes, and accepts only one form of each command.
 */
class CodecPropertyTests {

	@Property(tries = 1_000)
	void decodesEncodedCommand(@ForAll("commands") Command command) {
		assertThat(Command.decode(command.encode(), contentOf(command))).isEqualTo(command);
	}

	@Property(tries = 1_000)
	void refusesPrefixesAndExtensions(@ForAll("commands") Command command, @ForAll Random random) {
		byte[] header = command.encode();
		byte[] shorter = Arrays.copyOf(header, random.nextInt(header.length));
		byte[] longer = Arrays.copyOf(header, header.length + 1 + random.nextInt(5));
		// An ACK has two forms, and part of one form may be a valid instance of the
		// other.
		if (!(command instanceof Command.Ack)) {
			assertThat(Command.decode(shorter, contentOf(command))).isNull();
			assertThat(Command.decode(longer, contentOf(command))).isNull();
		}
	}

	@Property(tries = 1_000)
	void refusesUnexpectedOrMissingContent(@ForAll("commands") Command command) {
		byte @Nullable [] content = Commands.hasContent(command) ? null : new byte[0];
		assertThat(Command.decode(command.encode(), content)).isNull();
	}

	@Property(tries = 1_000)
	void toleratesRandomBytes(@ForAll byte[] header) {
		assertHarmless(header);
	}

	@Property(tries = 1_000)
	void toleratesMutatedCommands(@ForAll("commands") Command command, @ForAll Random random) {
		byte[] header = command.encode();
		for (int i = random.nextInt(4); i >= 0; i--) {
			header[random.nextInt(header.length)] = (byte) random.nextInt();
		}
		assertHarmless(header);
	}

	private static void assertHarmless(byte[] header) {
		for (byte @Nullable [] content : new byte @Nullable [][] { null, new byte[0] }) {
			Command command = Command.decode(header, content);
			if (command != null && !(command instanceof Command.Ack)) {
				assertThat(command.encode()).isEqualTo(header);
			}
		}
	}

	private static byte @Nullable [] contentOf(Command command) {
		return Commands.hasContent(command) ? Commands.content(command) : null;
	}

	@Provide
	Arbitrary<Command> commands() {
		return Commands.all();
	}

}
