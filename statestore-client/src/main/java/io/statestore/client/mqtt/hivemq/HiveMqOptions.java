package io.statestore.client.mqtt.hivemq;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.MqttClientTransportConfig;
import com.hivemq.client.mqtt.MqttClientTransportConfigBuilder;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5SimpleAuth;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5SimpleAuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5ConnectBuilder;
import io.statestore.client.mqtt.link.LinkOptions;
import io.statestore.client.mqtt.link.LinkOptions.Tls;
import org.jspecify.annotations.Nullable;

/** Converts options to the classes of the HiveMQ client. */
final class HiveMqOptions {

	private HiveMqOptions() {
	}

	/** Returns the enhanced authentication, with its current data, or {@code null}. */
	static @Nullable HiveMqAuthentication authentication(LinkOptions options) {
		LinkOptions.Authentication authentication = options.authentication();
		return (authentication != null) ? new HiveMqAuthentication(authentication.method(), authentication.data().get())
				: null;
	}

	/** Returns the address of the broker, the timeouts, and the TLS settings. */
	static MqttClientTransportConfig transport(LinkOptions options) {
		long timeout = options.connectTimeout().toMillis();
		MqttClientTransportConfigBuilder builder = MqttClientTransportConfig.builder()
			.serverHost(options.host())
			.serverPort(options.port())
			.socketConnectTimeout(timeout, TimeUnit.MILLISECONDS)
			.mqttConnectTimeout(timeout, TimeUnit.MILLISECONDS);
		Supplier<? extends Tls> source = options.tls();
		if (source != null) {
			Tls tls = source.get();
			builder.sslConfig(MqttClientSslConfig.builder()
				.keyManagerFactory(tls.keys())
				.trustManagerFactory(tls.trust())
				.handshakeTimeout(timeout, TimeUnit.MILLISECONDS)
				.hostnameVerifier(tls.verifyHostname() ? null : (host, session) -> true)
				.build());
		}
		return builder.build();
	}

	/**
	 * Returns the CONNECT packet.
	 * @param authentication the enhanced authentication, or {@code null} for none
	 */
	static Mqtt5Connect connect(LinkOptions options, @Nullable HiveMqAuthentication authentication) {
		Mqtt5ConnectBuilder builder = Mqtt5Connect.builder()
			.cleanStart(true)
			.sessionExpiryInterval(0)
			.keepAlive((int) options.keepAlive().toSeconds())
			.restrictions()
			.sendTopicAliasMaximum(0)
			.applyRestrictions()
			.simpleAuth(simpleAuth(options));
		if (authentication != null) {
			builder.enhancedAuth(authentication);
		}
		return builder.build();
	}

	private static @Nullable Mqtt5SimpleAuth simpleAuth(LinkOptions options) {
		String username = options.username();
		if (username == null) {
			return null;
		}
		Mqtt5SimpleAuthBuilder.Complete builder = Mqtt5SimpleAuth.builder().username(username);
		Supplier<String> password = options.password();
		return ((password != null) ? builder.password(password.get().getBytes(StandardCharsets.UTF_8)) : builder)
			.build();
	}

}
