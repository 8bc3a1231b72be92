package io.statestore.broker.security;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import io.statestore.protocol.Bytes;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class AuditLogTests {

	private static final ClientPrincipal ADA = ClientPrincipal.of("ada");

	private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - 5);

	private final CapturedLog captured = new CapturedLog(AuditLog.LOGGER, Level.INFO);

	private final AuditLog log = new AuditLog(this.time::get);

	@AfterEach
	void release() {
		this.captured.close();
	}

	@Test
	void logsEventsAsFields() {
		this.log.line(AuditEvent.DENIED, ADA)
			.text("client", "press-1")
			.word("address", "192.0.2.1")
			.word("action", "write")
			.key("key", Bytes.of("press-1/setpoint"))
			.text("reason", null)
			.log();
		this.log.line(AuditEvent.LOGIN, ClientPrincipal.ANONYMOUS).log();
		this.log.claimed(AuditEvent.LOGIN_FAILED, "bob").log();
		this.log.line(AuditEvent.RULES_CHANGED).word("rules", 3).log();

		assertThat(lines()).containsExactly(
				"event=denied principal=\"ada\" client=\"press-1\" address=192.0.2.1 action=write key=\"press-1/setpoint\"",
				"event=login principal=anonymous", "event=login-failed user=\"bob\"", "event=rules-changed rules=3");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\nevent=login", "a\rb", "a\u001B[31mb", "a\u2028b", "a\u202Eb", "a\u0000b" })
	void escapesCharactersThatCouldForgeLines(String name) {
		this.log.line(AuditEvent.DENIED, ClientPrincipal.of(name))
			.text("client", name)
			.key("key", Bytes.of(name))
			.log();
		String escaped = String.format("a\\u%04X", (int) name.charAt(1)) + name.substring(2);
		assertThat(lines()).containsExactly(
				"event=denied principal=\"" + escaped + "\" client=\"" + escaped + "\" key=\"" + escaped + '"');
	}

	@Test
	void escapesQuotesThatCouldForgeFields() {
		this.log.line(AuditEvent.DENIED, ADA).text("client", "a\" action=read \\").log();
		assertThat(lines()).containsExactly("event=denied principal=\"ada\" client=\"a\\\" action=read \\\\\"");
	}

	@ParameterizedTest
	@CsvSource({ "FF00, 0xFF00", "C3A9, '\"é\"'", "'', '\"\"'", "EFBFBD, '\"\uFFFD\"'", "61FF, 0x61FF" })
	void showsKeysOfAnyBytes(String hex, String shown) {
		this.log.line(AuditEvent.DENIED, ADA).key("key", Bytes.ofHex(hex)).log();
		assertThat(lines()).containsExactly("event=denied principal=\"ada\" key=" + shown);
	}

	@Test
	void cutsLongValues() {
		String name = "x".repeat(60_000);
		this.log.claimed(AuditEvent.LOGIN_FAILED, name)
			.text("client", name)
			.key("key", Bytes.of(name))
			.key("binary", Bytes.ofHex("FF"))
			.key("key", Bytes.ofHex("FF".repeat(60_000)))
			.log();
		assertThat(lines()).singleElement().asString().hasSizeLessThan(6 * AuditLine.MAX_LENGTH);
	}

	@Test
	void limitsLinesOfPrincipalAndCountsOmittedOnes() {
		for (int i = 0; i < 1_000; i++) {
			this.log.line(AuditEvent.DENIED, ADA).word("number", i).log();
		}
		this.log.line(AuditEvent.DENIED, ClientPrincipal.of("bob")).log();
		this.log.line(AuditEvent.LOGIN, ADA).log();
		assertThat(lines()).hasSize(AuditLog.MAX_LINES_OF_PRINCIPAL + 2)
			.endsWith("event=denied principal=\"bob\"", "event=login principal=\"ada\"");

		int before = lines().size();
		this.time.addAndGet(AuditLog.INTERVAL.toNanos());
		this.log.line(AuditEvent.LOGIN, ADA).log();
		assertThat(lines().subList(before, lines().size()))
			.containsExactly("event=denied principal=\"ada\" omitted=990", "event=login principal=\"ada\"");
	}

	@Test
	void limitsLinesOfManyNames() {
		for (int i = 0; i < 10_000; i++) {
			this.log.claimed(AuditEvent.LOGIN_FAILED, "user" + i).log();
		}
		this.log.line(AuditEvent.LOGIN, ADA).log();
		assertThat(lines()).hasSize(AuditLog.MAX_LINES + 1).endsWith("event=login principal=\"ada\"");

		int before = lines().size();
		this.time.addAndGet(AuditLog.INTERVAL.toNanos());
		this.log.claimed(AuditEvent.LOGIN_FAILED, "user1").log();
		assertThat(lines().subList(before, lines().size())).containsExactly("event=login-failed omitted=9800",
				"event=login-failed user=\"user1\"");
	}

	private List<String> lines() {
		return this.captured.messages();
	}

}
