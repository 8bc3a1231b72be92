package io.statestore.client.mqtt.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Authentication with a new token, on a connection in use. */
@Timeout(30)
@Isolated("captures the log")
class ReauthenticationTests extends ConnectionFixture {

	private static final Duration INTERVAL = Duration.ofMinutes(1);

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);

	private final ManualTime time = new ManualTime();

	private volatile String token = "first";

	private Calls start(@Nullable Duration checkInterval) {
		MqttConnection connection = new MqttConnection(this.broker.options()
			.connectTimeout(ANSWER_TIMEOUT)
			.authentication(new EnhancedAuthentication("K8S-SAT", this::token, checkInterval))
			.build(), new ClientResources(this.time));
		this.connections.add(connection);
		Calls calls = new Calls(connection);
		connection.start();
		assertThat(connection.isConnected()).isTrue();
		return calls;
	}

	private byte[] token() {
		if (this.token.isEmpty()) {
			throw new IllegalStateException("the file is empty");
		}
		return this.token.getBytes(StandardCharsets.UTF_8);
	}

	/** Replaces the token, which two checks find, and waits until the broker has it. */
	private void replace(String token) {
		this.token = token;
		this.time.passWaitOf(INTERVAL);
		this.time.passWaitOf(SECOND);
		await("the new token").until(() -> this.broker.authentications.contains(token));
	}

	private void awaitNewConnection() {
		await("a new connection").until(() -> {
			if (this.log.contains("Lost connection")) {
				// The delay before the next attempt.
				this.time.pass(SECOND);
			}
			return this.broker.connects.size() == 2;
		});
	}

	private static void call(Calls calls) throws Exception {
		assertThat(calls.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS).reply())
			.isEqualTo(new Reply.Ok());
	}

	private String lastConnectData() {
		var connects = this.broker.connects.toArray(io.netty.handler.codec.mqtt.MqttConnectMessage[]::new);
		return new String((byte[]) properties(connects[connects.length - 1])
			.getProperty(io.netty.handler.codec.mqtt.MqttProperties.AUTHENTICATION_DATA)
			.value(), StandardCharsets.UTF_8);
	}

	/** Returns a token that expires after a number of seconds. */
	private String jwt(long seconds) {
		return jwt("{\"sub\":\"a\",\"exp\": " + (this.time.currentTimeMillis() / 1000 + seconds) + "}");
	}

	private static String jwt(String claims) {
		Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
		return encoder.encodeToString("{}".getBytes(StandardCharsets.UTF_8)) + '.'
				+ encoder.encodeToString(claims.getBytes(StandardCharsets.UTF_8)) + ".c2ln";
	}

	@Test
	void authenticatesAgainWithoutReconnecting() throws Exception {
		Calls calls = start(INTERVAL);
		for (String next : new String[] { "second", "third" }) {
			replace(next);
			call(calls);
		}
		await("the log entry").until(() -> this.log.contains("Authenticated again at " + url()));
		assertThat(this.broker.authentications).containsExactly("second", "third");
		assertThat(this.broker.connects).hasSize(1);
		assertThat(this.log.messages()).noneMatch((message) -> message.contains("second"));
	}

	@Test
	void reconnectsWithNewTokenAfterRefusal() throws Exception {
		Calls calls = start(INTERVAL);
		this.broker.authCode = 0x87;
		replace("second");
		awaitNewConnection();
		assertThat(lastConnectData()).isEqualTo("second");
		assertThat(this.broker.authentications).containsExactly("second");
		call(calls);
	}

	@Test
	void reconnectsWithNewTokenWithoutAnswer() throws Exception {
		Calls calls = start(INTERVAL);
		this.broker.authCode = -1;
		replace("second");
		this.time.passWaitOf(ANSWER_TIMEOUT);
		awaitNewConnection();
		assertThat(lastConnectData()).isEqualTo("second");
		assertThat(this.log.contains("did not answer")).isTrue();
		call(calls);
	}

	@Test
	void reconnectsWithoutAnswerWhenTokenExpires() throws Exception {
		this.token = jwt(600);
		Calls calls = start(INTERVAL);
		this.broker.authCode = -1;
		replace(jwt(1200));
		this.time.passWaitOf(ANSWER_TIMEOUT);
		await("the warning").until(() -> this.log.contains("has not answered"));
		call(calls);
		assertThat(this.broker.connects).hasSize(1);
		// Until the first token expires.
		this.time.passWaitOf(Duration.ofSeconds(600).minus(INTERVAL).minus(SECOND).minus(ANSWER_TIMEOUT));
		awaitNewConnection();
		assertThat(lastConnectData()).isEqualTo(this.token);
		call(calls);
	}

	@Test
	void reconnectsWhenBrokerRequestsFurtherStep() throws Exception {
		Calls calls = start(INTERVAL);
		this.broker.authCode = 0x18;
		replace("second");
		awaitNewConnection();
		assertThat(lastConnectData()).isEqualTo("second");
		call(calls);
	}

	@Test
	void keepsConnectionWhileTokenIsUnreadable() throws Exception {
		Calls calls = start(INTERVAL);
		this.token = "";
		this.time.passWaitOf(INTERVAL);
		await("the warning").until(() -> this.log.contains("the file is empty"));
		call(calls);
		replace("second");
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void authenticatesAgainBeforeTokenExpires() {
		this.token = jwt(100);
		start(null);
		this.token = jwt(600);
		this.time.passWaitOf(Duration.ofSeconds(80));
		await("the new token").until(() -> this.broker.authentications.contains(this.token));
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void warnsOfExpiryOnce() {
		this.token = jwt(70);
		start(INTERVAL);
		for (long wait : new long[] { 56_000, 11_200, 2_240 }) {
			this.time.passWaitOf(Duration.ofMillis(wait));
		}
		assertThat(this.log.messages()).filteredOn((message) -> message.contains("has not been replaced"))
			.singleElement()
			.asString()
			.contains("expires in 14 s")
			.doesNotContain(this.token);
	}

	@Test
	void readsExpiryOfJsonWebTokensOnly() {
		String token = jwt("{\"sub\":\"a\",\"exp\": 1700000000}");
		assertThat(expiryOf(token)).isEqualTo(1_700_000_000_000L);
		assertThat(expiryOf(token + "\n")).isEqualTo(1_700_000_000_000L);
		for (String other : new String[] { "", "a.b", "a.!.c", "a..c", "a.e30.c", "token", token.repeat(1000) }) {
			assertThat(expiryOf(other)).isNull();
		}
	}

	private static @Nullable Long expiryOf(String token) {
		return AuthenticationData.expiryOf(token.getBytes(StandardCharsets.UTF_8));
	}

}
