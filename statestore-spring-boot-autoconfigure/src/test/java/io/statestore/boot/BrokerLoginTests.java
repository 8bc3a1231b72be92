package io.statestore.boot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import ch.qos.logback.classic.Level;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.security.Authentication;
import io.statestore.broker.security.AuthenticationException;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.PasswordFile;
import io.statestore.broker.security.PasswordHash;
import io.statestore.broker.security.TokenAuthenticator;
import io.statestore.client.Entry;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatch;
import io.statestore.client.StateStoreNotAuthorizedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.WatchSpec;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.ConnectionDiagnosis;
import io.statestore.test.CapturedLog;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tokens, passwords, and rules that change while an application is connected to our
 * broker.
 */
@Tag("long")
@Timeout(60)
@Isolated("captures the log")
class BrokerLoginTests {

	private static final Pattern CLAIMS = Pattern.compile("\"sub\":\"(.+)\",\"exp\":(\\d+)");

	@TempDir
	private Path directory;

	private final CapturedLog log = new CapturedLog("io.statestore.client", Level.DEBUG);

	private final CapturedLog audit = new CapturedLog("io.statestore.audit", Level.DEBUG);

	private final List<KeyChange<String>> changes = new CopyOnWriteArrayList<>();

	@AfterEach
	void closeLogs() {
		this.log.close();
		this.audit.close();
	}

	private static ApplicationContextRunner application(StateStoreBroker broker) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(StateStoreAutoConfiguration.class))
			.withPropertyValues("statestore.port=" + broker.port(), "statestore.client-id=press-1",
					"statestore.reconnect.max-delay=200ms");
	}

	/** Replaces a file in one step. */
	private static void replace(Path file, String content) throws IOException {
		Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), content);
		Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
	}

	private void watch(StateStoreTemplate template) {
		template.watch("watched", String.class, WatchSpec::initial, this.changes::add);
		await("the initial value").until(() -> !this.changes.isEmpty());
		this.changes.clear();
	}

	private List<String> values() {
		return this.changes.stream().map(KeyChange::value).toList();
	}

	/** Returns a token in JWT form, whose signature is not verified here. */
	private static String token(String subject, Instant expiry) {
		String claims = "{\"sub\":\"" + subject + "\",\"exp\":" + expiry.getEpochSecond() + '}';
		return "e30." + Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(StandardCharsets.UTF_8))
				+ ".c2ln";
	}

	private static Authentication verify(String token) throws AuthenticationException {
		String claims = new String(Base64.getUrlDecoder().decode(token.strip().split("\\.")[1]),
				StandardCharsets.UTF_8);
		Matcher matcher = CLAIMS.matcher(claims);
		if (!matcher.find()) {
			throw new AuthenticationException("no claims");
		}
		Instant expiry = Instant.ofEpochSecond(Long.parseLong(matcher.group(2)));
		if (!expiry.isAfter(Instant.now())) {
			throw new AuthenticationException("the token has expired");
		}
		return new Authentication(ClientPrincipal.of(matcher.group(1)), expiry);
	}

	private static StateStoreBroker tokenBroker() {
		return StateStoreBroker.builder().authenticator(new TokenAuthenticator(BrokerLoginTests::verify)).start();
	}

	@Test
	void connectionOutlivesReplacedToken() throws Exception {
		Instant expiry = Instant.ofEpochSecond(Instant.now().getEpochSecond() + 10);
		Path file = Files.writeString(this.directory.resolve("token"), token("press", expiry) + '\n');
		try (StateStoreBroker broker = tokenBroker()) {
			application(broker).withPropertyValues("statestore.service-account-token-file=" + file).run((context) -> {
				StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
				template.set("watched", "0");
				watch(template);
				replace(file, token("press", expiry.plusSeconds(600)) + '\n');
				await("the new token").until(() -> this.log.contains("Authenticated again"));
				await("the expiry of the first token").until(() -> Instant.now().isAfter(expiry.plusSeconds(1)));
				template.set("watched", "1");
				await("the change").until(() -> values().contains("1"));
				assertThat(this.changes).singleElement()
					.matches((change) -> !change.resynchronized(), "not resynchronized");
				assertThat(this.log.messages()).noneMatch((message) -> message.contains("Lost connection"));
				assertThat(broker.statistics().connections().open()).isOne();
			});
		}
	}

	@Test
	void tokenForAnotherSubjectEndsConnection() throws Exception {
		Instant expiry = Instant.now().plusSeconds(600);
		Path file = Files.writeString(this.directory.resolve("token"), token("press", expiry));
		try (StateStoreBroker broker = tokenBroker()) {
			application(broker).withPropertyValues("statestore.service-account-token-file=" + file).run((context) -> {
				context.getBean(StateStoreTemplate.class).set("k", "v");
				replace(file, token("oven", expiry));
				// The client may see the refusal before the end of the connection.
				await("the refusal").until(() -> this.log.contains(ConnectionDiagnosis.LOGIN_ENDED.nextStep())
						|| this.log.contains("did not accept the authentication"));
				await("the next login").until(() -> this.audit.messages()
					.stream()
					.anyMatch((line) -> line.startsWith("event=login principal=\"oven\"")));
				context.getBean(StateStoreTemplate.class).set("k", "v");
			});
		}
	}

	@Test
	void reportsChangedPasswordAndRereadsFile() throws Exception {
		Path users = Files.writeString(this.directory.resolve("users"), user("first"));
		Path password = Files.writeString(this.directory.resolve("password"), "first\n");
		try (StateStoreBroker broker = StateStoreBroker.builder().authenticator(PasswordFile.of(users)).start()) {
			application(broker).withPropertyValues("statestore.username=ada", "statestore.password-file=" + password)
				.run((context) -> {
					StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
					StateStoreConnection connection = context.getBean(StateStoreConnection.class);
					template.set("k", "1");
					replace(users, user("second"));
					await("the new password").until(() -> takesOver(broker, "second"));
					await("the refusal").untilAsserted(() -> assertThat(connection.status().problem())
						.contains(ConnectionDiagnosis.LOGIN_REFUSED.nextStep()));
					await("the warning").until(() -> this.log.messages(Level.WARN)
						.stream()
						.anyMatch((warning) -> warning.contains(ConnectionDiagnosis.LOGIN_REFUSED.nextStep())));
					assertThat(connection.isConnected()).isFalse();
					replace(password, "second\n");
					await("the connection").until(connection::isConnected);
					assertThat(template.get("k", String.class)).map(Entry::value).contains("1");
					assertThat(this.log.messages())
						.noneMatch((message) -> message.contains("first") || message.contains("second"));
				});
		}
	}

	private static String user(String password) {
		return "ada:" + PasswordHash.of(password, 10).text() + '\n';
	}

	/** Tries to replace the connection of the application. */
	private static boolean takesOver(StateStoreBroker broker, String password) throws IOException {
		try (RawMqttConnection client = new RawMqttConnection(broker.port())) {
			return client.connect(RawConnect.of("press-1").login("ada", password)).reason() == 0;
		}
	}

	@Test
	void recoversFromWithdrawnRules() throws Exception {
		String permitting = "user ada read,write key *\n";
		Path rules = Files.writeString(this.directory.resolve("rules"), permitting);
		try (StateStoreBroker broker = StateStoreBroker.builder().account("ada", "sesame").rules(rules).start()) {
			application(broker)
				.withPropertyValues("statestore.username=ada", "statestore.password=sesame",
						"statestore.listener.renewal=1s")
				.run((context) -> {
					StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
					template.set("watched", "0");
					KeyWatch watch = template.watch("watched", String.class, WatchSpec::initial, this.changes::add);
					await("the initial value").until(() -> values().contains("0"));
					replace(rules, "user ada write key watched\n");
					await("the new rules").until(() -> isDenied(template));
					assertThatExceptionOfType(StateStoreNotAuthorizedException.class)
						.isThrownBy(() -> template.get("watched", String.class))
						.withMessageContaining("Allow user 'ada' to read this key in the rules of the server");
					this.changes.clear();
					template.set("watched", "denied");
					assertThat(context.getBean(StateStoreConnection.class).isConnected()).isTrue();
					replace(rules, permitting);
					await("the old rules").until(() -> !isDenied(template));
					assertThat(template.get("watched", String.class)).map(Entry::value).contains("denied");
					template.set("watched", "permitted");
					await("the value").until(() -> values().contains("permitted"));
					await("the watch").until(watch::isActive);
				});
		}
	}

	private static boolean isDenied(StateStoreTemplate template) {
		try {
			template.get("watched", String.class);
			return false;
		}
		catch (StateStoreNotAuthorizedException ex) {
			return true;
		}
	}

}
