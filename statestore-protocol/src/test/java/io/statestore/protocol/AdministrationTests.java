package io.statestore.protocol;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.regex.Pattern;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AdministrationTests {

	private static final Pattern HOLDER = Pattern
		.compile("(?s).*/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[1-9][0-9]*");

	@Property
	void queriesRoundTrip(@ForAll("queries") LockQuery query) {
		assertThat(Administration.decodeRequest(Bytes.wrap(Administration.encode(query)))).isEqualTo(query);
	}

	@Property
	void pagesRoundTrip(@ForAll("pages") AdministrationPage<StoredLock> page) {
		assertThat(Administration.decodePage(StoredLock.class, Bytes.wrap(Administration.encode(page))))
			.isEqualTo(page);
	}

	@Property
	void decodersRejectDamagedPayloads(@ForAll("payloads") byte[] payload, @ForAll Random random) {
		byte[] damaged = payload.clone();
		for (int i = random.nextInt(4); i >= 0 && damaged.length > 0; i--) {
			int at = random.nextInt(damaged.length);
			damaged[at] = (byte) random.nextInt(256);
			if (random.nextBoolean()) {
				damaged = Arrays.copyOf(damaged, at);
			}
		}
		assertHarmless(Bytes.wrap(damaged));
	}

	@Property
	void randomBytesAreHarmless(@ForAll byte[] payload) {
		assertHarmless(Bytes.wrap(payload));
	}

	/** Decodes a payload as a request and as an answer. */
	static void assertHarmless(Bytes payload) {
		try {
			AdministrationRequest request = Administration.decodeRequest(payload);
			assertThat(Administration.encode(request)).isEqualTo(payload.toArray());
		}
		catch (ProtocolException ex) {
			assertThat(ex.reason()).isIn(ErrorReason.SYNTAX_ERROR, ErrorReason.UNKNOWN_COMMAND,
					ErrorReason.WRONG_NUMBER_OF_ARGUMENTS, ErrorReason.MALFORMED_TIMESTAMP);
		}
		for (Class<?> type : List.of(StoredLock.class, StoredSession.class, StoredChange.class, ClusterNodeState.class,
				Bytes.class)) {
			assertHarmlessAnswer(type, payload);
		}
	}

	private static void assertHarmlessAnswer(Class<?> type, Bytes payload) {
		try {
			assertRoundTrip(type, payload);
		}
		catch (ProtocolException ex) {
			assertThat(ex.getMessage()).isNotNull();
		}
	}

	/** Decodes an answer, encodes it, and decodes it again. */
	static <T> void assertRoundTrip(Class<T> type, Bytes payload) {
		AdministrationPage<T> page = Administration.decodePage(type, payload);
		assertThat(Administration.decodePage(type, Bytes.wrap(Administration.encode(page)))).isEqualTo(page);
	}

	@Example
	void unknownNamesAreIgnored() {
		byte[] lock = RespWriter.array(Bytes.of("key"), Bytes.of("k"), Bytes.of("later"), Bytes.of("x"),
				Bytes.of("holder"), Bytes.of("h"), Bytes.of("version"), Bytes.of("1:2:StateStore"), Bytes.of("waiters"),
				Bytes.of("0"));
		byte[] answer = Replies.encode(new Reply.Page(List.of(Bytes.wrap(lock)), null));

		assertThat(Administration.decodePage(StoredLock.class, Bytes.wrap(answer)).items()).singleElement()
			.satisfies((decoded) -> assertThat(decoded.holder()).isEqualTo(Bytes.of("h")));
	}

	@Example
	void errorIsThrownWithItsReason() {
		Bytes error = Bytes.wrap(Replies.encode(new Reply.Error(ErrorReason.NOT_AUTHORIZED)));

		assertThatExceptionOfType(ProtocolException.class)
			.isThrownBy(() -> Administration.decodePage(StoredLock.class, error))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(ErrorReason.NOT_AUTHORIZED));
	}

	@Example
	void recognizesHolderAndSuccessor() {
		UUID process = UUID.randomUUID();
		Bytes holder = Bytes.of("press/1/" + process + "/17");

		assertThat(LockNames.isHolder(holder)).isTrue();
		assertThat(LockNames.holderName(holder)).isEqualTo(Bytes.of("press/1"));
		assertThat(LockNames.isLeader(holder)).isFalse();
		Bytes leader = Bytes.of("press/1/leader/" + process + "/17");
		assertThat(LockNames.isLeader(leader)).isTrue();
		assertThat(LockNames.holderName(leader)).isEqualTo(Bytes.of("press/1"));
		assertThat(LockNames.holderName(Bytes.of("17"))).isEqualTo(Bytes.of("17"));
		assertThat(LockNames.isSuccessor(LockNames.successor(Bytes.of("k")))).isTrue();
		assertThat(LockNames.isSuccessor(Bytes.of("k"))).isFalse();
	}

	@Property
	void recognizesHoldersLikePattern(@ForAll("holders") String value) {
		assertThat(LockNames.isHolder(Bytes.of(value))).isEqualTo(HOLDER.matcher(value).matches());
	}

	@Provide
	Arbitrary<String> holders() {
		Arbitrary<String> names = Arbitraries.of("", "a", "a/b", "ü", "/", "1");
		Arbitrary<String> processes = Arbitraries.of(new UUID(1, 2).toString(), UUID.randomUUID().toString(),
				UUID.randomUUID().toString().toUpperCase(Locale.ROOT), "0123", "");
		Arbitrary<String> numbers = Arbitraries.of("1", "90", "0", "01", "", "a", "1x", "123456789012345678901");
		Arbitrary<String> separators = Arbitraries.of("/", "/", "/", "", "-");
		return Combinators.combine(names, separators, processes, separators, numbers)
			.as((name, first, process, second, number) -> name + first + process + second + number);
	}

	@Provide
	Arbitrary<LockQuery> queries() {
		return Combinators.combine(Generators.bytes(), Arbitraries.of(true, false), texts().injectNull(0.3))
			.as(LockQuery::new);
	}

	@Provide
	Arbitrary<AdministrationPage<StoredLock>> pages() {
		Arbitrary<Version> versions = Combinators
			.combine(Arbitraries.longs().between(0, 999_999_999_999_999L),
					Arbitraries.integers().between(0, Integer.MAX_VALUE))
			.as((millis, counter) -> new Version(millis, counter, "StateStore"));
		Arbitrary<String> clients = Arbitraries.strings().alpha().ofMinLength(1).ofMaxLength(8);
		Arbitrary<Duration> times = Arbitraries.longs().between(0, Long.MAX_VALUE / 2).map(Duration::ofMillis);
		Arbitrary<StoredLock> locks = Combinators
			.combine(Generators.keys(), Generators.bytes(), versions, versions.injectNull(0.3),
					clients.injectNull(0.3).tuple2(), times.injectNull(0.3), clients.injectNull(0.3),
					Arbitraries.integers().between(0, 1_000))
			.as((key, holder, version, token, names, remaining, successor, count) -> new StoredLock(key, holder,
					version, token, names.get1(), names.get2(), remaining, successor, count));
		return Combinators.combine(locks.list().ofMaxSize(3), texts().injectNull(0.3)).as(AdministrationPage::new);
	}

	private static Arbitrary<String> texts() {
		return Arbitraries.strings().ascii().withChars("äΩ☃").ofMaxLength(8);
	}

	@Provide
	Arbitrary<HistoryQuery> historyQueries() {
		Arbitrary<Version> versions = Arbitraries.of(new Version(1, 2, "StateStore"), new Version(3, 0, "a"));
		return Combinators
			.combine(Generators.bytes(), versions.injectNull(0.5), Arbitraries.of(true, false), texts().injectNull(0.3))
			.as((pattern, version, flag, token) -> new HistoryQuery(pattern, flag ? null : version,
					flag ? version : null, flag && version == null, token));
	}

	@Property
	void historyQueriesRoundTrip(@ForAll("historyQueries") HistoryQuery query) {
		assertThat(Administration.decodeRequest(Bytes.wrap(Administration.encode(query)))).isEqualTo(query);
	}

	@Provide
	Arbitrary<byte[]> payloads() {
		return Arbitraries.oneOf(
				Arbitraries
					.<Arbitrary<? extends AdministrationRequest>>of(queries(), historyQueries(),
							ClusterAdministrationTests.requests(), SessionAdministrationTests.queries(),
							SessionAdministrationTests.ends())
					.flatMap((requests) -> requests.map(Administration::encode)),
				pages().map(Administration::encode), ClusterAdministrationTests.answers().map(Administration::encode),
				SessionAdministrationTests.pages().map(Administration::encode));
	}

}
