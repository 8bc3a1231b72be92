package io.statestore.history;

import java.util.Arrays;

import io.statestore.dafka.Position;
import io.statestore.history.HistoryChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ChangeCodecTests {

	private static final Position POSITION = new Position("statestore-history", "A1", 42);

	private static final Version DOCUMENTED = new Version(1_700_000_000_000L, 3, "StateStore");

	@Property
	void decodesEncodedChange(@ForAll("changes") HistoryChange change) {
		assertThat(ChangeCodec.decode(POSITION, encode(change))).isEqualTo(change);
	}

	/** A value has no length: it consists of the remaining bytes. */
	@Property
	void refusesTruncatedRecord(@ForAll("changes") HistoryChange change, @ForAll int where) {
		byte[] bytes = encode(change);
		byte[] cut = Arrays.copyOf(bytes, Math.floorMod(where, bytes.length - change.value().length()));
		assertThatExceptionOfType(HistoryException.class).isThrownBy(() -> ChangeCodec.decode(POSITION, cut));
	}

	@Property
	void decodesOnlyCanonicalForm(@ForAll byte[] bytes) {
		accepts(bytes);
	}

	@Property
	void detectsOrReadsModifiedByte(@ForAll("changes") HistoryChange change, @ForAll int where, @ForAll byte other) {
		byte[] bytes = encode(change);
		bytes[Math.floorMod(where, bytes.length)] = other;
		accepts(bytes);
	}

	private static void accepts(byte[] bytes) {
		HistoryChange change;
		try {
			change = ChangeCodec.decode(POSITION, bytes);
		}
		catch (HistoryException ex) {
			assertThat(ex).hasMessageContaining("offset 42 of 'statestore-history' / A1");
			return;
		}
		assertThat(encode(change, bytes[0] % 2 == 0)).isEqualTo(bytes);
	}

	/** Later versions must be able to read this format. */
	@Test
	void encodesDocumentedFormat() {
		byte[] bytes = ChangeCodec.encode(Operation.SET, Bytes.of("k1"), Bytes.of("v"), DOCUMENTED, DOCUMENTED, "oven",
				null, false);
		assertThat(Bytes.wrap(bytes).toHex()).isEqualToIgnoringCase(
				"01" + "01" + "0000018bcfe56800" + "00000003" + "0004" + "6f76656e" + "00000002" + "6b31" + "76");
	}

	@Test
	void encodesDocumentedFormatOfPresentKey() {
		byte[] bytes = ChangeCodec.encode(Operation.PRESENT, Bytes.of("k1"), Bytes.of("v"), DOCUMENTED,
				new Version(1_600_000_000_000L, 1, "StateStore"), null, null, true);
		assertThat(Bytes.wrap(bytes).toHex()).isEqualToIgnoringCase("02" + "05" + "0000018bcfe56800" + "00000003"
				+ "0000017487" + "6e8000" + "00000001" + "0000" + "00000002" + "6b31" + "76");
	}

	@Test
	void encodesDocumentedFormatWithPrincipal() {
		byte[] bytes = ChangeCodec.encode(Operation.SET, Bytes.of("k1"), Bytes.of("v"), DOCUMENTED, DOCUMENTED, "oven",
				"ada", false);
		assertThat(Bytes.wrap(bytes).toHex()).isEqualToIgnoringCase("03" + "01" + "0000018bcfe56800" + "00000003"
				+ "0004" + "6f76656e" + "0003" + "616461" + "00000002" + "6b31" + "76");
		assertThat(ChangeCodec.decode(POSITION, bytes).author()).isEqualTo("ada");
	}

	@Property
	void onlyRecordsBeforeCompletionAreAfterGap(@ForAll("changes") HistoryChange change) {
		byte[] bytes = encode(change);
		assertThat(ChangeCodec.isAfterGap(bytes)).isEqualTo(change.operation() == Operation.GAP);
		if (change.operation() != Operation.START && change.operation() != Operation.CONTENT) {
			assertThat(ChangeCodec.isAfterGap(encode(change, true)))
				.isEqualTo(change.operation() != Operation.COMPLETE);
		}
	}

	@Test
	void refusesLaterFormat() {
		byte[] bytes = ChangeCodec.encode(Operation.DELETE, Bytes.of("k"), Bytes.EMPTY, DOCUMENTED, DOCUMENTED, null,
				null, false);
		bytes[0] = 5;
		assertThatExceptionOfType(HistoryException.class).isThrownBy(() -> ChangeCodec.decode(POSITION, bytes))
			.withMessage("The record at offset 42 of 'statestore-history' / A1 is not a change of a state store:"
					+ " its format is 5, but this version of the library only supports 1 to 4. Use a newer version");
	}

	private static byte[] encode(HistoryChange change) {
		return encode(change, change.operation() == Operation.GAP);
	}

	private static byte[] encode(HistoryChange change, boolean afterGap) {
		return ChangeCodec.encode(change.operation(), change.key(), change.value(), change.version(),
				change.keyVersion(), change.clientId(), change.principal(), afterGap);
	}

	@Provide
	Arbitrary<HistoryChange> changes() {
		Arbitrary<Bytes> keys = Arbitraries.bytes().array(byte[].class).ofMinSize(1).ofMaxSize(40).map(Bytes::wrap);
		Arbitrary<Bytes> values = Arbitraries.bytes().array(byte[].class).ofMaxSize(40).map(Bytes::wrap);
		Arbitrary<Version> versions = Combinators
			.combine(Arbitraries.longs().between(0, 999_999_999_999_999L), Arbitraries.integers().greaterOrEqual(0))
			.as((wall, counter) -> new Version(wall, counter, "StateStore"));
		Arbitrary<String> clients = Arbitraries.strings()
			.withCharRange('a', 'z')
			.withChars("ü€/")
			.ofMinLength(1)
			.ofMaxLength(30)
			.injectNull(0.1);
		Arbitrary<String> principals = clients.injectNull(0.5);
		return Combinators
			.combine(Arbitraries.of(Operation.values()), keys, values, versions, versions, clients, principals)
			.as((operation, key, value, version, other, client, principal) -> switch (operation) {
				case START, GAP, COMPLETE, CONTENT ->
					new HistoryChange(POSITION, operation, Bytes.EMPTY, Bytes.EMPTY, version, version, null);
				case SET -> new HistoryChange(POSITION, operation, key, value, version, version, client, principal);
				case DELETE ->
					new HistoryChange(POSITION, operation, key, Bytes.EMPTY, version, version, client, principal);
				case EXPIRE -> new HistoryChange(POSITION, operation, key, Bytes.EMPTY, version, version, null);
				case PRESENT -> new HistoryChange(POSITION, operation, key, value, version, other, null);
			});
	}

}
