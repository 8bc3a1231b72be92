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
	void pagesRoundTrip(@ForAll("pages") LockPage page) {
		assertThat(Administration.decodePage(Bytes.wrap(Administration.encode(page)))).isEqualTo(page);
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
			assertThat(encode(request)).isEqualTo(payload.toArray());
		}
		catch (ProtocolException ex) {
			assertThat(ex.reason()).isIn(ErrorReason.SYNTAX_ERROR, ErrorReason.UNKNOWN_COMMAND,
					ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
		}
		try {
			LockPage page = Administration.decodePage(payload);
			assertThat(Administration.decodePage(Bytes.wrap(Administration.encode(page)))).isEqualTo(page);
		}
		catch (ProtocolException ex) {
			assertThat(ex.getMessage()).isNotNull();
		}
		ClusterAdministrationTests.assertHarmlessAnswer(payload);
		SessionAdministrationTests.assertHarmlessAnswer(payload);
	}

	private static byte[] encode(AdministrationRequest request) {
		if (request instanceof SessionQuery query) {
			return SessionAdministration.encode(query);
		}
		if (request instanceof SessionEnd end) {
			return SessionAdministration.encode(end);
		}
		return (request instanceof ClusterRequest cluster) ? ClusterAdministration.encode(cluster)
				: Administration.encode((LockQuery) request);
	}

	@Example
	void unknownNamesAreIgnored() {
		byte[] lock = RespWriter.array(Bytes.of("key"), Bytes.of("k"), Bytes.of("later"), Bytes.of("x"),
				Bytes.of("holder"), Bytes.of("h"), Bytes.of("version"), Bytes.of("1:2:StateStore"));
		byte[] answer = Replies.encode(new Reply.Page(List.of(Bytes.wrap(lock)), null));

		assertThat(Administration.decodePage(Bytes.wrap(answer)).locks()).singleElement()
			.satisfies((decoded) -> assertThat(decoded.holder()).isEqualTo(Bytes.of("h")));
	}

	@Example
	void errorIsThrownWithItsReason() {
		Bytes error = Bytes.wrap(Replies.encode(new Reply.Error(ErrorReason.NOT_AUTHORIZED)));

		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> Administration.decodePage(error))
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
	void holdersAreThoseOfThePattern(@ForAll("holders") String value) {
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
		return Combinators.combine(Generators.bytes(), Arbitraries.of(true, false), Generators.bytes().injectNull(0.3))
			.as(LockQuery::new);
	}

	@Provide
	Arbitrary<LockPage> pages() {
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
		return Combinators.combine(locks.list().ofMaxSize(3), Generators.bytes().injectNull(0.3)).as(LockPage::new);
	}

	@Provide
	Arbitrary<byte[]> payloads() {
		return Arbitraries.oneOf(queries().map(Administration::encode), pages().map(Administration::encode),
				ClusterAdministrationTests.requests().map(ClusterAdministration::encode),
				ClusterAdministrationTests.answers().map(ClusterAdministration::encode),
				SessionAdministrationTests.queries().map(SessionAdministration::encode),
				SessionAdministrationTests.ends().map(SessionAdministration::encode),
				SessionAdministrationTests.pages().map(SessionAdministration::encode));
	}

}
