package io.statestore.broker.security;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

import ch.qos.logback.classic.Level;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@Isolated("captures the log")
class RulesFileTests {

	private static final Client ADA = new Client("press-1", ClientPrincipal.of("ada"));

	private static final Bytes KEY = Bytes.of("a");

	private Path file;

	/**
	 * Modification time for the next content, in the past so that it is read immediately.
	 */
	private Instant modified = Instant.now().minusSeconds(1_000);

	@BeforeEach
	void createFile(@TempDir Path directory) {
		this.file = directory.resolve("rules");
	}

	@Test
	void appliesChangesToClientsAndLogsThem() throws Exception {
		write("user ada read key a\nuser bob read key a");
		RulesFile rules = RulesFile.of(this.file);
		Permissions permissions = rules.permissions(ADA);
		assertThat(permissions.mayRead(KEY)).isTrue();
		assertThat(permissions.mayWrite(KEY)).isFalse();
		try (CapturedLog audit = new CapturedLog(AuditLog.LOGGER, Level.INFO)) {
			write("user ada write key a\nuser bob read key a\nuser bob read key b");
			FileChecks.run();
			assertThat(permissions.mayWrite(KEY)).isTrue();
			assertThat(permissions.mayRead(KEY)).isFalse();
			assertThat(audit.messages())
				.containsExactly("event=rules-changed file=\"" + this.file + "\" rules=3 added=2 removed=1");
		}
	}

	@Test
	void keepsRulesWhileFileIsInvalid() throws Exception {
		write("user ada read key a");
		Permissions permissions = RulesFile.of(this.file).permissions(ADA);
		try (CapturedLog log = new CapturedLog(WatchedFile.class, Level.WARN);
				CapturedLog audit = new CapturedLog(AuditLog.LOGGER, Level.WARN)) {
			write("user ada reed key b");
			FileChecks.run();
			assertThat(log.contains(this.file + ": line 1: unknown action 'reed'")).isTrue();
			assertThat(permissions.mayRead(KEY)).isTrue();
			assertThat(audit.messages()).singleElement()
				.asString()
				.startsWith("event=rules-invalid file=\"" + this.file + "\" reason=\"line 1: unknown action 'reed'.");
		}
		write("user ada read key b");
		FileChecks.run();
		assertThat(permissions.mayRead(KEY)).isFalse();
	}

	@Test
	void patternsWithWildcardsDoNotMatchVeryLongKeys() {
		write("user ada read key a*z\nuser ada write key a*\nuser ada write key *z");
		Permissions permissions = RulesFile.of(this.file).permissions(ADA);
		Bytes longest = Bytes.of('a' + "b".repeat(1024 - 2) + 'z');
		Bytes longer = Bytes.of('a' + "b".repeat(1024 - 1) + 'z');
		assertThat(permissions.mayRead(longest)).isTrue();
		assertThat(permissions.mayRead(longer)).isFalse();
		assertThat(permissions.mayWrite(longer)).as("a prefix needs no decoding").isTrue();
	}

	@Test
	void warnsAboutEmptyFile() {
		write("");
		try (CapturedLog log = new CapturedLog(RulesFile.class, Level.WARN)) {
			assertThat(RulesFile.of(this.file).permissions(ADA).mayRead(KEY)).isFalse();
			assertThat(log.messages()).singleElement().asString().contains(this.file + " contains no rules");
		}
	}

	@Test
	void warnsAboutClientIdsWithoutUserName() {
		write("everyone read key {clientId}\nusers read key {username}/{clientId}\nusers read topic a/{clientId}/#");
		try (CapturedLog log = new CapturedLog(RulesFile.class, Level.WARN)) {
			RulesFile.of(this.file);
			assertThat(log.messages()).singleElement()
				.asString()
				.startsWith(this.file + " has rules with {clientId} that protect nothing from other users")
				.endsWith("Lines: 1, 3");
		}
	}

	@Test
	void doesNotWarnAboutClientIdsBoundByRules() {
		write("everyone read key {clientId}\nusers connect {username}");
		try (CapturedLog log = new CapturedLog(RulesFile.class, Level.WARN)) {
			RulesFile.of(this.file);
			assertThat(log.messages()).isEmpty();
		}
	}

	@Test
	void changedRulesForClientIdsApplyToNextConnection() throws Exception {
		write("users connect other");
		RulesFile rules = RulesFile.of(this.file);
		assertThat(rules.permissions(ADA).mayConnect()).isFalse();
		write("users connect press-*");
		FileChecks.run();
		assertThat(rules.permissions(ADA).mayConnect()).isTrue();
		write("user ada read key a");
		FileChecks.run();
		assertThat(rules.permissions(ADA).mayConnect()).isTrue();
	}

	@Test
	void suggestedRulePermitsClientId() {
		for (String name : new String[] { "ada", "a b", "\"", "\\ \\", "{", "#", "*" }) {
			Client client = new Client("[" + name + "]?", ClientPrincipal.of(name));
			write(RulesFile.connectRule(client));
			assertThat(RulesFile.of(this.file).permissions(client).mayConnect()).as(name).isTrue();
			assertThat(RulesFile.of(this.file).permissions(ADA).mayConnect()).isFalse();
		}
	}

	@Test
	void refusesMissingOrInvalidFile() {
		assertThatIllegalArgumentException().isThrownBy(() -> RulesFile.of(this.file))
			.withMessageContaining(this.file + " does not exist");
		write("everyone");
		assertThatIllegalArgumentException().isThrownBy(() -> RulesFile.of(this.file))
			.withMessageContaining(this.file + ": line 1: the rule has no action");
	}

	@ParameterizedTest
	@ValueSource(strings = { "user ada read key a", "users read key a", "group g = ada\ngroup g read key a",
			"everyone read key {clientId}", "everyone read topic {username}/#" })
	void refusesRulesForSomeClientsOnGateway(String text) {
		write("everyone read key b\n" + text);
		assertThatIllegalArgumentException().isThrownBy(() -> RulesFile.forEveryone(this.file))
			.withMessageContaining("is for some clients only. A gateway cannot verify who sends a request");
	}

	@Test
	void refusesRulesForClientIdsOnGateway() {
		write("everyone connect press-*");
		assertThatIllegalArgumentException().isThrownBy(() -> RulesFile.forEveryone(this.file))
			.withMessageContaining("is about client ids, but clients connect to the broker of the gateway");
	}

	@Test
	void explainsDecisions() {
		write("everyone read key a*\n# comment\nuser ada read,write key a\neveryone read topic t/#\nuser ada administer");
		RulesFile rules = RulesFile.of(this.file);
		assertThat(rules.permitting(ADA, RuleAction.READ, "a")).containsExactly("line 1: everyone read key a*",
				"line 3: user ada read,write key a");
		assertThat(rules.permitting(ADA, RuleAction.WRITE, LockNames.successor(KEY).toUtf8()))
			.containsExactly("line 3: user ada read,write key a");
		assertThat(rules.permitting(ADA, RuleAction.SUBSCRIBE, "t/+"))
			.containsExactly("line 4: everyone read topic t/#");
		assertThat(rules.permitting(ADA, RuleAction.PUBLISH, "t/a")).isEmpty();
		assertThat(rules.bindsClientIds()).isFalse();
		write("users connect {username}\nusers connect press-?");
		assertThat(RulesFile.of(this.file).permitting(ADA, RuleAction.CONNECT, "press-1"))
			.containsExactly("line 2: users connect press-?");
	}

	private void write(String text) {
		try {
			Files.writeString(this.file, text);
			Files.setLastModifiedTime(this.file, FileTime.from(this.modified));
			this.modified = this.modified.plusSeconds(1);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
