package io.statestore.client.mqtt.netty;

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
import io.statestore.client.mqtt.link.LinkOptions;
import io.statestore.mqtt.ClientPackets;
import io.statestore.mqtt.ConnectionSettings;
import io.statestore.mqtt.Tls;
import org.jspecify.annotations.Nullable;

/** Converts options of a link. */
final class NettyOptions {

	private NettyOptions() {
	}

	/** Returns the address of the broker, the timeout, and the TLS settings. */
	static ConnectionSettings settings(LinkOptions options) {
		Supplier<? extends LinkOptions.Tls> tls = options.tls();
		return new ConnectionSettings(options.host(), options.port(), (tls != null) ? tls(tls.get()) : null,
				options.connectTimeout(), ConnectionSettings.MAX_PACKET_SIZE, ConnectionSettings.MAX_PACKET_SIZE,
				(bytes) -> {
				});
	}

	private static Tls tls(LinkOptions.Tls tls) {
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
	static MqttConnectMessage connect(LinkOptions options) {
		LinkOptions.Authentication authentication = options.authentication();
		Supplier<String> password = options.password();
		return ClientPackets.connect(options.clientId(), true, (int) options.keepAlive().toSeconds(),
				options.username(), (password != null) ? password.get().getBytes(StandardCharsets.UTF_8) : null,
				(authentication != null)
						? ClientPackets.authentication(authentication.method(), authentication.data().get())
						: MqttProperties.NO_PROPERTIES)
			.build();
	}

}
