package io.statestore.dafka.reading.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fixed messages, captured from the reference implementation or written by hand according
 * to RFC 46's grammar.
 */
class CodecTests {

	private static final String ADDRESS = "0123456789ABCDEF0123456789ABCDEF";

	private static final String ADDRESS_HEX = HexFormat.of().formatHex(ADDRESS.getBytes(StandardCharsets.US_ASCII));

	private static final Bytes PRODUCER = Bytes.of(ADDRESS);

	private static final Bytes HELLO = Bytes.of("hello");

	@Test
	void decodesReferenceRecord() {
		assertForm("4d68656c6c6f000120" + ADDRESS_HEX + "0568656c6c6f0000000000000001",
				new Command.Record(PRODUCER, HELLO, 1, Bytes.of("second")), "second");
	}

	@Test
	void decodesReferenceAck() {
		assertForm("4b" + ADDRESS_HEX + "00010568656c6c6f0000000000000000", new Command.Ack(PRODUCER, HELLO, 0), null);
	}

	@Test
	void decodesReferenceHead() {
		assertForm("4868656c6c6f000120" + ADDRESS_HEX + "0568656c6c6f0000000000000001",
				new Command.Head(PRODUCER, HELLO, 1), null);
	}

	@Test
	void fetchFollowsGrammar() {
		assertForm("46" // F: FETCH
				+ "41423132" // topic: address of the producer, "AB12"
				+ "00" // end of the topic
				+ "01" // version
				+ "03" + "433334" // sender's address, string: "C34"
				+ "02" + "7432" // subject, string: "t2"
				+ "0000000100000002" // first sequence, u64: 2^32 + 2
				+ "0000fffe", // count, u32: 65,534
				new Command.Fetch(Bytes.of("AB12"), Bytes.of("C34"), Bytes.of("t2"), (1L << 32) + 2, 65_534), null);
	}

	@Test
	void directRecordFollowsGrammar() {
		assertForm("44" // D: DIRECT-RECORD
				+ "433334" // topic: address of the requester, "C34"
				+ "00" // end of the topic
				+ "01" // version
				+ "04" + "41423132" // producer's address, string: "AB12"
				+ "02" + "7432" // subject, string: "t2"
				+ "00000000000001ff", // sequence, u64: 511
				new Command.DirectRecord(Bytes.of("C34"), Bytes.of("AB12"), Bytes.of("t2"), 511, Bytes.of("21.5")),
				"21.5"); // content, the second frame
	}

	@Test
	void directHeadFollowsGrammar() {
		assertForm("45" // E: DIRECT-HEAD
				+ "433334" // topic: address of the consumer, "C34"
				+ "00" // end of the topic
				+ "01" // version
				+ "04" + "41423132" // producer's address, string: "AB12"
				+ "02" + "7432" // subject, string: "t2"
				+ "0000000000010000", // last sequence, u64: 65,536
				new Command.DirectHead(Bytes.of("C34"), Bytes.of("AB12"), Bytes.of("t2"), 65_536), null);
	}

	@Test
	void getHeadsFollowsGrammar() {
		assertForm("47" // G: GET-HEADS
				+ "7432" // topic: the topic's name, "t2"
				+ "00" // end of the topic
				+ "01" // version
				+ "03" + "433334", // consumer's address, string: "C34"
				new Command.GetHeads(Bytes.of("t2"), Bytes.of("C34")), null);
	}

	@Test
	void storeHelloFollowsGrammar() {
		assertForm("4c" // L: STORE-HELLO
				+ "433334" // topic: address of the consumer, "C34"
				+ "00" // end of the topic
				+ "01" // version
				+ "02" + "5337", // store's address, string: "S7"
				new Command.StoreHello(Bytes.of("C34"), Bytes.of("S7")), null);
	}

	@Test
	void acceptsAckWithStoreAddress() {
		byte[] header = bytes("4b" + ADDRESS_HEX + "00010161" + "0568656c6c6f0000000000000007");
		assertThat(Command.decode(header, null)).isEqualTo(new Command.Ack(PRODUCER, HELLO, 7));
	}

	@Test
	void consumerHelloHasLongStrings() {
		assertForm("57730001" + "0163" + "00000002" + "0000000161" + "000000026262",
				new Command.ConsumerHello(Bytes.of("s"), Bytes.of("c"), List.of(Bytes.of("a"), Bytes.of("bb"))), null);
	}

	@Test
	void consumerHelloForEveryTopicHasEmptyString() {
		assertForm("57" // W: CONSUMER-HELLO
				+ "5337" // topic: address of the store, "S7"
				+ "00" // end of the topic
				+ "01" // version
				+ "03" + "433334" // consumer's address, string: "C34"
				+ "00000001" // number of subjects, u32
				+ "00000000", // subject, longstr: ""
				new Command.ConsumerHello(Bytes.of("S7"), Bytes.of("C34"), List.of(Bytes.EMPTY)), null);
	}

	@Test
	void acceptsEmptyContentButNotMissingContent() {
		byte[] header = new Command.Record(PRODUCER, HELLO, 3, Bytes.EMPTY).encode();
		assertThat(Command.decode(header, new byte[0])).isEqualTo(new Command.Record(PRODUCER, HELLO, 3, Bytes.EMPTY));
		assertThat(Command.decode(header, null)).isNull();
	}

	@Test
	void refusesUnsupportedVersion() {
		byte[] header = new Command.Head(PRODUCER, HELLO, 3).encode();
		header[7] = 2;
		assertThat(Command.decode(header, null)).isNull();
	}

	@Test
	void refuses5000ByteTopic() {
		byte[] name = new byte[5_000];
		Arrays.fill(name, (byte) 'x');
		ByteBuffer header = ByteBuffer.allocate(5_100).put((byte) 'F').put(name).put((byte) 0).put((byte) 1);
		assertThat(Command.decode(Arrays.copyOf(header.array(), header.position()), null)).isNull();
	}

	@Test
	void refusesHugeSequenceNumber() {
		byte[] header = new Command.Head(PRODUCER, HELLO, 0).encode();
		header[header.length - Long.BYTES] = (byte) 0x40;
		assertThat(Command.decode(header, null)).isNull();
	}

	@Test
	void refusesRecordIfSubjectDiffersFromTopic() {
		byte[] header = new Command.Record(PRODUCER, HELLO, 0, Bytes.EMPTY).encode();
		header[1] = 'j';
		assertThat(Command.decode(header, new byte[0])).isNull();
	}

	@Test
	void refusesHelloWithoutTopics() {
		assertThat(Command.decode(bytes("57730001016300ffffff"), null)).isNull();
	}

	private static void assertForm(String hex, Command command, @Nullable String content) {
		byte @Nullable [] second = (content != null) ? content.getBytes(StandardCharsets.US_ASCII) : null;
		assertThat(command.encode()).asHexString().isEqualToIgnoringCase(hex);
		assertThat(Command.decode(bytes(hex), second)).isEqualTo(command);
	}

	private static byte[] bytes(String hex) {
		return HexFormat.of().parseHex(hex);
	}

}
