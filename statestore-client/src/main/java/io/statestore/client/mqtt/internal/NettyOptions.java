package io.statestore.client.mqtt.internal;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.function.Supplier;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.mqtt.ClientPackets;
import io.statestore.mqtt.ConnectionSettings;
import io.statestore.mqtt.Tls;
import org.jspecify.annotations.Nullable;

/** Converts options of a connection. */
final class NettyOptions {

	private NettyOptions() {
	}

	/** Returns the address of the broker, the timeout, and the TLS settings. */
	static ConnectionSettings settings(Link.Attempt attempt) {
		Supplier<ConnectionOptions.Tls> tls = attempt.options().tls();
		return new ConnectionSettings(attempt.host().host(), attempt.host().port(),
				(tls != null) ? tls(tls.get()) : null, attempt.timeout(), ConnectionSettings.MAX_PACKET_SIZE,
				ConnectionSettings.MAX_PACKET_SIZE, (bytes) -> {
				});
	}

	private static Tls tls(ConnectionOptions.Tls tls) {
		KeyManagerFactory keys = tls.keys();
		TrustManagerFactory trust = tls.trust();
		KeyManager @Nullable [] keyManagers = (keys != null) ? keys.getKeyManagers() : null;
		TrustManager @Nullable [] trustManagers = (trust != null) ? trust.getTrustManagers() : null;
		try {
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(keyManagers, trustManagers, null);
			return new Tls(context, tls.verifyHostname());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("TLS is not available", ex);
		}
	}

	/** Returns the CONNECT packet, with the current password and authentication data. */
	static MqttConnectMessage connect(Link.Attempt attempt) {
		ConnectionOptions options = attempt.options();
		EnhancedAuthentication authentication = options.authentication();
		byte[] data = attempt.authenticationData();
		Supplier<String> password = options.password();
		return ClientPackets.connect(options.clientId(), true, (int) options.keepAlive().toSeconds(),
				options.username(), (password != null) ? password.get().getBytes(StandardCharsets.UTF_8) : null,
				(authentication != null && data != null) ? ClientPackets.authentication(authentication.method(), data)
						: MqttProperties.NO_PROPERTIES)
			.build();
	}

}
