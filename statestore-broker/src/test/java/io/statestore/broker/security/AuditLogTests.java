package io.statestore.broker.security;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import io.statestore.protocol.Bytes;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated("captures the log")
class AuditLogTests {

	private static final ClientPrincipal ADA = ClientPrincipal.of("ada");

	private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - 5);

	@AutoClose
	private final CapturedLog captured = new CapturedLog(AuditLog.LOGGER, Level.INFO);

	private final AuditLog log = new AuditLog(this.time::get);

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
		this.log.claimed(AuditEvent.LOGIN_FAILED, "bob", address(0)).log();
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
	void showsKeysWithAnyBytes(String hex, String shown) {
		this.log.line(AuditEvent.DENIED, ADA).key("key", Bytes.ofHex(hex)).log();
		assertThat(lines()).containsExactly("event=denied principal=\"ada\" key=" + shown);
	}

	@Test
	void cutsLongValues() {
		String name = "x".repeat(60_000);
		this.log.claimed(AuditEvent.LOGIN_FAILED, name, address(0))
			.text("client", name)
			.key("key", Bytes.of(name))
			.key("binary", Bytes.ofHex("FF"))
			.key("key", Bytes.ofHex("FF".repeat(60_000)))
			.log();
		assertThat(lines()).singleElement().asString().hasSizeLessThan(6 * AuditLine.MAX_LENGTH);
	}

	@Test
	void limitsLinesPerPrincipalAndCountsOmittedLines() {
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
	void limitsLinesForManyNames() {
		for (int i = 0; i < 10_000; i++) {
			this.log.claimed(AuditEvent.LOGIN_FAILED, "user" + i, address(i / 10)).log();
		}
		this.log.line(AuditEvent.LOGIN, ADA).log();
		assertThat(lines()).hasSize(AuditLog.MAX_LINES + 1).endsWith("event=login principal=\"ada\"");

		int before = lines().size();
		this.time.addAndGet(AuditLog.INTERVAL.toNanos());
		this.log.claimed(AuditEvent.LOGIN_FAILED, "user1", address(0)).log();
		assertThat(lines().subList(before, lines().size())).containsExactly("event=login-failed omitted=9800",
				"event=login-failed user=\"user1\"");
	}

	@Test
	void inventedNamesDoNotHideOtherAddresses() throws UnknownHostException {
		for (int i = 0; i < 10_000; i++) {
			this.log.claimed(AuditEvent.LOGIN_FAILED, "user" + i, address(1)).log();
			InetAddress six = InetAddress.getByName("2001:db8::" + Integer.toHexString(i) + ":1");
			this.log.claimed(AuditEvent.LOGIN_FAILED, "user" + i, six).log();
		}
		this.log.claimed(AuditEvent.LOGIN_FAILED, "ada", address(2)).log();
		assertThat(lines()).hasSize(2 * AuditLog.MAX_LINES_OF_ADDRESS + 1).endsWith("event=login-failed user=\"ada\"");

		int before = lines().size();
		this.time.addAndGet(AuditLog.INTERVAL.toNanos());
		this.log.line(AuditEvent.LOGIN, ADA).log();
		assertThat(lines().subList(before, lines().size())).containsExactlyInAnyOrder(
				"event=login-failed address=192.0.0.1 omitted=9980",
				"event=login-failed address=2001:0db8:0000:0000::/64 omitted=9980", "event=login principal=\"ada\"");
	}

	@Test
	void countsOmittedEvents() {
		for (int i = 0; i < 1_000; i++) {
			this.log.line(AuditEvent.DENIED, ADA).log();
		}
		assertThat(this.log.count(AuditEvent.DENIED)).isEqualTo(1_000);
		assertThat(this.log.count(AuditEvent.LOGIN)).isZero();
	}

	private static InetAddress address(int number) {
		try {
			return InetAddress.getByAddress(new byte[] { (byte) 192, 0, (byte) (number >> 8), (byte) number });
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private List<String> lines() {
		return this.captured.messages();
	}

}
