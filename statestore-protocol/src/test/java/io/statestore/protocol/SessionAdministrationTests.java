package io.statestore.protocol;

import java.time.Duration;
import java.util.Arrays;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SessionAdministrationTests {

	@Property
	void queriesRoundTrip(@ForAll("queries") SessionQuery query) {
		assertThat(Administration.decodeRequest(Bytes.wrap(Administration.encode(query)))).isEqualTo(query);
	}

	@Property
	void endsRoundTrip(@ForAll("ends") SessionEnd end) {
		assertThat(Administration.decodeRequest(Bytes.wrap(Administration.encode(end)))).isEqualTo(end);
	}

	@Property
	void pagesRoundTrip(@ForAll("pages") AdministrationPage<StoredSession> page) {
		assertThat(Administration.decodePage(StoredSession.class, Bytes.wrap(Administration.encode(page))))
			.isEqualTo(page);
	}

	@Property
	void clientQueriesRoundTrip(@ForAll("queries") SessionQuery sessions) {
		ClientQuery query = new ClientQuery(sessions.token());
		assertThat(Administration.decodeRequest(Bytes.wrap(Administration.encode(query)))).isEqualTo(query);
	}

	@Property
	void clientPagesRoundTrip(@ForAll("clientPages") AdministrationPage<ConnectedClient> page) {
		assertThat(Administration.decodePage(ConnectedClient.class, Bytes.wrap(Administration.encode(page))))
			.isEqualTo(page);
	}

	@Example
	void refusesMalformedRequests() {
		assertRefused(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS, "SESSIONS", "TOKEN");
		assertRefused(ErrorReason.SYNTAX_ERROR, "SESSIONS", "AFTER", "a");
		assertRefused(ErrorReason.SYNTAX_ERROR, "SESSIONS", "TOKEN", "a", "b");
		assertRefused(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS, "ENDSESSION");
		assertRefused(ErrorReason.SYNTAX_ERROR, "ENDSESSION", "a", "b");
		assertRefused(ErrorReason.SYNTAX_ERROR, "ENDSESSION", "");
		assertThatIllegalArgumentException().isThrownBy(() -> new SessionEnd(""));
	}

	private static void assertRefused(ErrorReason reason, String... elements) {
		byte[] payload = RespWriter.array(Arrays.stream(elements).map(Bytes::of).toArray(Bytes[]::new));
		assertThatExceptionOfType(ProtocolException.class)
			.isThrownBy(() -> Administration.decodeRequest(Bytes.wrap(payload)))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
	}

	@Provide
	static Arbitrary<SessionQuery> queries() {
		return texts().injectNull(0.3).map(SessionQuery::new);
	}

	@Provide
	static Arbitrary<SessionEnd> ends() {
		return texts().filter((text) -> !text.isEmpty()).map(SessionEnd::new);
	}

	@Provide
	static Arbitrary<AdministrationPage<StoredSession>> pages() {
		Arbitrary<Duration> times = Arbitraries.longs().between(0, Long.MAX_VALUE / 2).map(Duration::ofMillis);
		Arbitrary<Integer> counts = Arbitraries.integers().between(0, Integer.MAX_VALUE);
		Arbitrary<StoredSession> sessions = Combinators
			.combine(texts(), texts().injectNull(0.3), Arbitraries.of(true, false), times.injectNull(0.3), counts,
					counts, Arbitraries.longs().between(0, Long.MAX_VALUE))
			.as(StoredSession::new);
		return Combinators.combine(sessions.list().ofMaxSize(3), texts().injectNull(0.3)).as(AdministrationPage::new);
	}

	@Provide
	static Arbitrary<AdministrationPage<ConnectedClient>> clientPages() {
		Arbitrary<Duration> times = Arbitraries.longs().between(0, Long.MAX_VALUE / 2).map(Duration::ofMillis);
		Arbitrary<ConnectedClient> clients = Combinators
			.combine(texts(), texts().injectNull(0.3), texts().injectNull(0.3), times)
			.as(ConnectedClient::new);
		return Combinators.combine(clients.list().ofMaxSize(3), texts().injectNull(0.3)).as(AdministrationPage::new);
	}

	private static Arbitrary<String> texts() {
		return Arbitraries.strings().ascii().withChars("äΩ☃").ofMaxLength(8);
	}

}
