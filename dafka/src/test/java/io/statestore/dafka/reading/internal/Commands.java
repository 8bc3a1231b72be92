package io.statestore.dafka.reading.internal;

import java.nio.charset.StandardCharsets;

import io.statestore.dafka.Bytes;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Generators of arbitrary commands. */
final class Commands {

	private Commands() {
	}

	static Arbitrary<Command> all() {
		Arbitrary<Bytes> address = Arbitraries.oneOf(name(),
				Arbitraries.strings().numeric().withCharRange('A', 'F').ofLength(32).map(Commands::latin));
		Arbitrary<Bytes> topic = name();
		Arbitrary<Long> sequence = Arbitraries.longs().between(0, Command.MAX_SEQUENCE - 1);
		Arbitrary<Bytes> content = Arbitraries.bytes().array(byte[].class).ofMaxSize(300).map(Bytes::wrap);
		return Arbitraries.oneOf(Combinators.combine(address, topic, sequence, content).as(Command.Record::new),
				Combinators.combine(address, address, topic, sequence, content).as(Command.DirectRecord::new),
				Combinators.combine(address, address, topic, sequence, Arbitraries.longs().between(0, 0xFFFFFFFFL))
					.as(Command.Fetch::new),
				Combinators.combine(address, topic, sequence).as(Command.Ack::new),
				Combinators.combine(address, topic, sequence).as(Command.Head::new),
				Combinators.combine(address, address, topic, sequence).as(Command.DirectHead::new),
				Combinators.combine(address, address, topic, sequence).as(Command.EndOfHeads::new),
				Combinators.combine(topic, address).as(Command.GetHeads::new),
				Combinators
					.combine(address, address,
							Arbitraries.oneOf(topic, Arbitraries.just(Bytes.EMPTY)).list().ofMaxSize(5))
					.as(Command.ConsumerHello::new),
				Combinators.combine(address, address).as(Command.StoreHello::new));
	}

	static byte[] content(Command command) {
		if (command instanceof Command.Record record) {
			return record.content().toArray();
		}
		return ((Command.DirectRecord) command).content().toArray();
	}

	static boolean hasContent(Command command) {
		return command instanceof Command.Record || command instanceof Command.DirectRecord;
	}

	private static Arbitrary<Bytes> name() {
		return Arbitraries.bytes()
			.filter((value) -> value != 0)
			.array(byte[].class)
			.ofMinSize(1)
			.ofMaxSize(255)
			.map(Bytes::wrap);
	}

	private static Bytes latin(String text) {
		return Bytes.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
	}

}
