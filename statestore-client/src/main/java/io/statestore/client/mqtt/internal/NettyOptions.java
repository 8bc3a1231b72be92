package io.statestore.client.mqtt.internal;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.mqtt.ClientPackets;
import io.statestore.mqtt.ConnectionSettings;
import io.statestore.mqtt.Tls;

/** Converts options of a connection. */
final class NettyOptions {

	private NettyOptions() {
	}

	/** Returns the address of the broker, the timeout, and the TLS settings. */
	static ConnectionSettings settings(Link.Attempt attempt) {
		Supplier<ConnectionOptions.Tls> source = attempt.options().tls();
		ConnectionOptions.Tls tls = (source != null) ? source.get() : null;
		return new ConnectionSettings(attempt.host().host(), attempt.host().port(),
				(tls != null) ? new Tls(tls.context(), tls.verifyHostname()) : null, attempt.timeout(),
				ConnectionSettings.MAX_PACKET_SIZE, ConnectionSettings.MAX_PACKET_SIZE, (bytes) -> {
				});
	}

	/** Returns the CONNECT packet, with the current password and authentication data. */
	static MqttConnectMessage connect(Link.Attempt attempt, Link.Session session) {
		ConnectionOptions options = attempt.options();
		EnhancedAuthentication authentication = options.authentication();
		byte[] data = attempt.authenticationData();
		Supplier<String> password = options.password();
		MqttProperties properties = (authentication != null && data != null)
				? ClientPackets.authentication(authentication.method(), data) : new MqttProperties();
		session.configure(properties);
		return ClientPackets
			.connect(options.clientId(), session.isNew(), (int) options.keepAlive().toSeconds(), options.username(),
					(password != null) ? password.get().getBytes(StandardCharsets.UTF_8) : null, properties)
			.build();
	}

}
