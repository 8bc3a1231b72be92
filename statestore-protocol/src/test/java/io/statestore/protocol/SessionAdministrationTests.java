package io.statestore.protocol;

import java.time.Duration;
import java.util.List;

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
		assertThat(Administration.decodeRequest(Bytes.wrap(SessionAdministration.encode(query)))).isEqualTo(query);
	}

	@Property
	void endsRoundTrip(@ForAll("ends") SessionEnd end) {
		assertThat(Administration.decodeRequest(Bytes.wrap(SessionAdministration.encode(end)))).isEqualTo(end);
	}

	@Property
	void pagesRoundTrip(@ForAll("pages") SessionPage page) {
		assertThat(SessionAdministration.decodePage(Bytes.wrap(SessionAdministration.encode(page)))).isEqualTo(page);
	}

	/** Decodes a payload as the answers to requests for sessions. */
	static void assertHarmlessAnswer(Bytes payload) {
		try {
			SessionPage page = SessionAdministration.decodePage(payload);
			assertThat(SessionAdministration.decodePage(Bytes.wrap(SessionAdministration.encode(page))))
				.isEqualTo(page);
		}
		catch (ProtocolException ex) {
			assertThat(ex.getMessage()).isNotNull();
		}
		try {
			boolean ended = SessionAdministration.decodeEnded(payload);
			assertThat(SessionAdministration.decodeEnded(Bytes.wrap(SessionAdministration.encodeEnded(ended))))
				.isEqualTo(ended);
		}
		catch (ProtocolException ex) {
			assertThat(ex.getMessage()).isNotNull();
		}
	}

	@Example
	void refusesMalformedRequests() {
		assertRefused(ErrorReason.SYNTAX_ERROR, "SESSIONS", "TOKEN");
		assertRefused(ErrorReason.SYNTAX_ERROR, "SESSIONS", "AFTER", "a");
		assertRefused(ErrorReason.SYNTAX_ERROR, "SESSIONS", "TOKEN", "a", "b");
		assertRefused(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS, "ENDSESSION");
		assertRefused(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS, "ENDSESSION", "a", "b");
		assertRefused(ErrorReason.SYNTAX_ERROR, "ENDSESSION", "");
		assertThatIllegalArgumentException().isThrownBy(() -> new SessionEnd(""));
	}

	private static void assertRefused(ErrorReason reason, String... elements) {
		byte[] payload = AdministrationFormat.array(List.of(elements).stream().map(Bytes::of).toList());
		assertThatExceptionOfType(ProtocolException.class)
			.isThrownBy(() -> Administration.decodeRequest(Bytes.wrap(payload)))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
	}

	@Example
	void answerToEndIsNumber() {
		assertThat(new String(SessionAdministration.encodeEnded(true))).isEqualTo(":1\r\n");
		assertThat(new String(SessionAdministration.encodeEnded(false))).isEqualTo(":0\r\n");
		assertThat(SessionAdministration.decodeEnded(Bytes.of(":1\r\n"))).isTrue();
		assertThat(SessionAdministration.decodeEnded(Bytes.of(":0\r\n"))).isFalse();
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
	static Arbitrary<SessionPage> pages() {
		Arbitrary<Duration> times = Arbitraries.longs().between(0, Long.MAX_VALUE / 2).map(Duration::ofMillis);
		Arbitrary<Integer> counts = Arbitraries.integers().between(0, Integer.MAX_VALUE);
		Arbitrary<StoredSession> sessions = Combinators
			.combine(texts(), texts().injectNull(0.3), Arbitraries.of(true, false), times.injectNull(0.3), counts,
					counts, Arbitraries.longs().between(0, Long.MAX_VALUE))
			.as(StoredSession::new);
		return Combinators.combine(sessions.list().ofMaxSize(3), texts().injectNull(0.3)).as(SessionPage::new);
	}

	private static Arbitrary<String> texts() {
		return Arbitraries.strings().ascii().withChars("äΩ☃").ofMaxLength(8);
	}

}
