package io.statestore.broker.engine;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.statestore.broker.codec.StateFormatException;
import io.statestore.broker.session.Message;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionChange.Acknowledge;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.Will;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Version;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LogEntryCodecTests {

	private static final Command.Set SET = new Command.Set(Bytes.of("key"), Bytes.of("value"),
			Condition.IF_ABSENT_OR_EQUAL, Duration.ofMillis(1_500));

	private static final LogEntry.Write FULL = new LogEntry.Write(Long.MAX_VALUE, -1, new Version(1, 2, "n"), SET,
			"1:2:n", "3:4:\u00e4\ud83d\ude00", new Requester("principal", "client"), Bytes.of("c"), -5,
			Duration.ofSeconds(1L << 32, 7), true);

	private static final LogEntry.Write INCREMENT = new LogEntry.Write(0, 0, null,
			new Command.Increment(Bytes.of("k"), Long.MIN_VALUE), "1:2:n", null, "client", Bytes.EMPTY, 0, null, false);

	private static final List<LogEntry> EXAMPLES = List.of(FULL,
			new LogEntry.Write(0, 0, null, new Command.Del(Bytes.of("k")), null, null, "", Bytes.EMPTY, 0, null, false),
			new LogEntry.Write(0, 0, null, new Command.VDel(Bytes.of("k"), Bytes.EMPTY), null, "",
					Requester.anonymous(""), Bytes.EMPTY, 0, Duration.ZERO, false),
			new LogEntry.Write(0, 0, null, new Command.Set(Bytes.of("k"), Bytes.wrap(new byte[100_000])), "", null,
					new Requester("\u00e4", ""), Bytes.EMPTY, 0, null, false),
			new LogEntry.Write(0, 0, null,
					new Command.Set(Bytes.of("k"), Bytes.of("v"), Condition.IF_ABSENT_OR_EQUAL, null, Bytes.of("w")),
					"", null, "", Bytes.EMPTY, 0, null, false),
			write(Condition.IF_VERSION, Bytes.of("1:2:StateStore")), INCREMENT,
			new LogEntry.Expire(1, 2, null, List.of()),
			new LogEntry.Expire(1, 2, new Version(3, 4, "n"), List.of(Bytes.of("a"), Bytes.of("bc"))),
			new LogEntry.Start(1, 2, null, Long.MIN_VALUE, new Quota(Long.MAX_VALUE, 1), 0, null, false),
			new LogEntry.Start(1, 2, null, -1, new Quota(5, 6, 1), 7, new Version(3, 4, "n"), true),
			new LogEntry.Start(1, 2, null, -1, new Quota(5, 6, Long.MAX_VALUE - 1), 7, new Version(3, 4, "StateStore"),
					false, 8),
			new LogEntry.Start(1, 2, null, -1, new Quota(5, 6, 1, 8, Long.MAX_VALUE), 7, new Version(3, 4, "n"), true),
			new LogEntry.Issue(1, 2, null),
			session(new Connect("c", "ada", true, 0xFFFF_FFFFL, new Will(message(2), 1, -1), true)),
			session(new Publish(message(1), "ada", 3, 4, Map.of("$share/g/t", "c"), false, 0)),
			session(new Acknowledge("c", 5, true, new long[] { 7, 6 })));

	@Test
	void decodesEncodedEntries() {
		for (LogEntry entry : EXAMPLES) {
			assertRecoded(entry);
		}
	}

	private static LogEntry.Session session(SessionChange change) {
		return new LogEntry.Session(1, 2, new Version(3, 4, "n"), change);
	}

	private static Message message(int qos) {
		return new Message("t", new byte[1], new byte[2], qos, true, 5, "c");
	}

	/** Compares bytes, because messages contain arrays. */
	static void assertRecoded(LogEntry entry) {
		LogEntry recoded = Machines.recode(entry);
		assertThat(recoded).hasSameClassAs(entry);
		assertThat(LogEntryCodec.encode(recoded)).isEqualTo(LogEntryCodec.encode(entry));
		if (!(entry instanceof LogEntry.Session)) {
			assertThat(recoded).isEqualTo(entry);
		}
	}

	@Property(tries = 200)
	void decodesRandomEntries(@ForAll long seed) {
		RandomLog log = new RandomLog(seed, 20);
		log.run(50);
		log.store.entries.forEach(LogEntryCodecTests::assertRecoded);
	}

	@Test
	void decodesFromMiddleOfAnyBuffer() {
		byte[] encoded = LogEntryCodec.encode(FULL);
		for (ByteBuffer buffer : List.of(ByteBuffer.allocate(encoded.length + 7),
				ByteBuffer.allocateDirect(encoded.length + 7))) {
			buffer.put(3, encoded).position(3).limit(3 + encoded.length);
			LogEntry entry = LogEntryCodec.decode(buffer);
			assertThat(buffer.remaining()).isZero();
			buffer.clear().put(new byte[buffer.capacity()]);
			assertThat(entry).isEqualTo(FULL);
		}
	}

	@Test
	void rejectsEveryTruncatedEntryAndTrailingBytes() {
		for (LogEntry entry : EXAMPLES) {
			byte[] encoded = LogEntryCodec.encode(entry);
			for (int length = 0; length < Math.min(encoded.length, 200); length++) {
				assertRejected(Arrays.copyOf(encoded, length));
			}
			assertRejected(Arrays.copyOf(encoded, encoded.length + 1));
		}
	}

	@Test
	void rejectsNewerFormatAndUnknownType() {
		byte[] encoded = LogEntryCodec.encode(FULL);
		encoded[0] = 7;
		assertThatExceptionOfType(StateFormatException.class).isThrownBy(() -> decode(encoded))
			.withMessageContaining("format of a log entry is 7")
			.withMessageContaining("Start a newer version");
		byte[] type = LogEntryCodec.encode(FULL);
		type[1] = 9;
		assertRejected(type);
	}

	@Test
	void rejectsExpectedVersionWithoutValue() {
		byte[] encoded = LogEntryCodec.encode(write(Condition.IF_VERSION, SET.value()));
		encoded[2] &= ~(1 << 14 >> Byte.SIZE);
		assertRejected(encoded);
	}

	@Test
	void incrementIsWrite() {
		assertThat(LogEntryCodec.isWrite(ByteBuffer.wrap(LogEntryCodec.encode(INCREMENT)))).isTrue();
	}

	private static LogEntry.Write write(Bytes expected) {
		return write(Condition.IF_ABSENT_OR_EQUAL, expected);
	}

	private static LogEntry.Write write(Condition condition, Bytes expected) {
		Command.Set set = new Command.Set(SET.key(), SET.value(), condition, null, expected);
		return new LogEntry.Write(0, 0, null, set, null, null, "client", Bytes.EMPTY, 0, null, false);
	}

	@Test
	void rejectsLengthBeyondEntryWithoutAllocating() {
		byte[] encoded = LogEntryCodec.encode(new LogEntry.Expire(1, 2, null, List.of(Bytes.of("a"))));
		encoded[encoded.length - 2] = 127;
		assertRejected(encoded);
		byte[] count = Arrays.copyOf(encoded, encoded.length + 2);
		Arrays.fill(count, encoded.length - 3, count.length - 1, (byte) 0xFF);
		count[count.length - 1] = 7;
		assertRejected(count);
	}

	@Property(tries = 1_000)
	void damagedEntryIsRejectedOrDecodedToAnother(@ForAll long seed) {
		Random random = new Random(seed);
		byte[] encoded = LogEntryCodec.encode(EXAMPLES.get(random.nextInt(EXAMPLES.size())));
		for (int i = 0; i <= random.nextInt(3); i++) {
			encoded[random.nextInt(Math.min(encoded.length, 200))] ^= (byte) (1 << random.nextInt(8));
		}
		try {
			assertRecoded(decode(encoded));
		}
		catch (StateFormatException ex) {
			assertThat(ex).hasMessageContaining("log entry");
		}
	}

	private static LogEntry decode(byte[] encoded) {
		return LogEntryCodec.decode(ByteBuffer.wrap(encoded));
	}

	private static void assertRejected(byte[] encoded) {
		assertThatExceptionOfType(StateFormatException.class).isThrownBy(() -> decode(encoded));
	}

}
