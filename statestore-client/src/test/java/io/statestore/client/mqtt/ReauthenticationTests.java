package io.statestore.client.mqtt;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Authentication with a new token, on a connection in use. */
@Timeout(30)
class ReauthenticationTests extends ConnectionFixture {

	private volatile String token = "first";

	private @Nullable StateStoreConnection connection;

	private MqttCommandInvoker start(@Nullable Duration checkInterval) {
		return start(new EnhancedAuthentication("K8S-SAT", () -> {
			if (this.token.isEmpty()) {
				throw new IllegalStateException("the file is empty");
			}
			return this.token.getBytes(StandardCharsets.UTF_8);
		}, checkInterval));
	}

	private MqttCommandInvoker start(EnhancedAuthentication authentication) {
		StateStoreConnection connection = connection(
				this.broker.options().connectTimeout(Duration.ofSeconds(2)).authentication(authentication));
		this.connection = connection;
		MqttCommandInvoker invoker = new MqttCommandInvoker(connection);
		connection.start();
		assertThat(connection.isConnected()).isTrue();
		return invoker;
	}

	private static void call(MqttCommandInvoker invoker) throws Exception {
		assertThat(invoker.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS).reply())
			.isEqualTo(new Reply.Ok());
	}

	private String lastConnectData() {
		var connects = this.broker.connects.toArray(io.netty.handler.codec.mqtt.MqttConnectMessage[]::new);
		return new String((byte[]) properties(connects[connects.length - 1])
			.getProperty(io.netty.handler.codec.mqtt.MqttProperties.AUTHENTICATION_DATA)
			.value(), StandardCharsets.UTF_8);
	}

	private static String jwt(long expiry) {
		Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
		return encoder.encodeToString("{}".getBytes(StandardCharsets.UTF_8)) + '.'
				+ encoder.encodeToString(("{\"sub\":\"a\",\"exp\": " + expiry + "}").getBytes(StandardCharsets.UTF_8))
				+ ".c2ln";
	}

	@Test
	void authenticatesAgainWithoutReconnecting() throws Exception {
		MqttCommandInvoker invoker = start(Duration.ofSeconds(1));
		for (String next : new String[] { "second", "third" }) {
			this.token = next;
			await("the new token").until(() -> this.broker.authentications.contains(next));
			call(invoker);
		}
		await("the log entry").until(() -> this.log.contains("Authenticated again at " + url()));
		assertThat(this.broker.authentications).containsExactly("second", "third");
		assertThat(this.broker.connects).hasSize(1);
		assertThat(this.log.messages()).noneMatch((message) -> message.contains("second"));
	}

	@Test
	void reconnectsWithNewTokenAfterRefusal() throws Exception {
		MqttCommandInvoker invoker = start(Duration.ofSeconds(1));
		this.broker.authCode = 0x87;
		this.token = "second";
		await("a new connection").until(() -> this.broker.connects.size() == 2);
		assertThat(lastConnectData()).isEqualTo("second");
		assertThat(this.broker.authentications).containsExactly("second");
		call(invoker);
	}

	@Test
	void reconnectsWithNewTokenWithoutAnswer() throws Exception {
		MqttCommandInvoker invoker = start(Duration.ofSeconds(1));
		this.broker.authCode = -1;
		this.token = "second";
		await("a new connection").until(() -> this.broker.connects.size() == 2);
		assertThat(lastConnectData()).isEqualTo("second");
		assertThat(this.log.contains("did not answer")).isTrue();
		call(invoker);
	}

	@Test
	void keepsConnectionWithoutAnswerWhileTokenIsValid() throws Exception {
		long now = System.currentTimeMillis() / 1000;
		this.token = jwt(now + 600);
		MqttCommandInvoker invoker = start(Duration.ofSeconds(1));
		this.broker.authCode = -1;
		this.token = jwt(now + 1200);
		await("the new token").until(() -> this.broker.authentications.contains(this.token));
		await("the warning").until(() -> this.log.contains("has not answered"));
		await("use of the connection").during(Duration.ofMillis(500)).until(() -> this.broker.connects.size() == 1);
		call(invoker);
	}

	@Test
	void reconnectsWithoutAnswerWhenTokenExpires() throws Exception {
		long now = System.currentTimeMillis() / 1000;
		this.token = jwt(now + 6);
		MqttCommandInvoker invoker = start(Duration.ofSeconds(1));
		this.broker.authCode = -1;
		this.token = jwt(now + 600);
		await("a new connection").until(() -> this.broker.connects.size() == 2);
		assertThat(lastConnectData()).isEqualTo(this.token);
		assertThat(System.currentTimeMillis() / 1000).isGreaterThanOrEqualTo(now + 5);
		call(invoker);
	}

	@Test
	void reconnectsWhenBrokerRequestsFurtherStep() throws Exception {
		MqttCommandInvoker invoker = start(Duration.ofSeconds(1));
		this.broker.authCode = 0x18;
		this.token = "second";
		await("a new connection").until(() -> this.broker.connects.size() == 2);
		assertThat(lastConnectData()).isEqualTo("second");
		call(invoker);
	}

	@Test
	void keepsConnectionWhileTokenIsUnreadable() throws Exception {
		MqttCommandInvoker invoker = start(Duration.ofSeconds(1));
		this.token = "";
		await("the warning").until(() -> this.log.contains("the file is empty"));
		call(invoker);
		this.token = "second";
		await("the new token").until(() -> this.broker.authentications.contains("second"));
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void authenticatesAgainBeforeTokenExpires() {
		long now = System.currentTimeMillis() / 1000;
		this.token = jwt(now + 3);
		start((Duration) null);
		this.token = jwt(now + 600);
		await("the new token").until(() -> this.broker.authentications.contains(this.token));
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void warnsOfExpiryOnce() {
		this.token = jwt(System.currentTimeMillis() / 1000 + 2);
		start(Duration.ofSeconds(1));
		await("the warning").until(() -> this.log.contains("has not been replaced"));
		assertThat(this.log.messages()).noneMatch((message) -> message.contains(this.token));
	}

	@Test
	void readsExpiryOfJsonWebTokensOnly() {
		assertThat(expiryOf(jwt(1_700_000_000))).isEqualTo(1_700_000_000_000L);
		assertThat(expiryOf(jwt(1_700_000_000) + "\n")).isEqualTo(1_700_000_000_000L);
		for (String other : new String[] { "", "a.b", "a.!.c", "a..c", "a.e30.c", "token", jwt(1).repeat(1000) }) {
			assertThat(expiryOf(other)).isNull();
		}
	}

	private static @Nullable Long expiryOf(String token) {
		return AuthenticationData.expiryOf(token.getBytes(StandardCharsets.UTF_8));
	}

}
