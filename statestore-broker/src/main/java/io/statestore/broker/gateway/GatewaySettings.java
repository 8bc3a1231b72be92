package io.statestore.broker.gateway;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.mqtt.BrokerConnection;
import io.statestore.mqtt.ClientPackets;
import io.statestore.mqtt.ConnectionSettings;
import io.statestore.mqtt.Tls;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a gateway.
 *
 * @param host name or address of the broker
 * @param port port of the broker
 * @param clientId MQTT client id, the same for all gateways on a broker
 * @param username user name, or {@code null} for none
 * @param password password, or {@code null} for none
 * @param tls returns the TLS context for a new connection, or {@code null} for plain TCP
 * @param watchLease how long a client's watches last after its latest request
 * @param administration whether administration requests are answered
 * @param budget limits the memory that clients hold
 */
record GatewaySettings(String host, int port, String clientId, @Nullable String username, @Nullable String password,
		@Nullable Supplier<SSLContext> tls, Duration watchLease, boolean administration, MemoryBudget budget) {

	/**
	 * Maximum length of the properties that the gateway decodes in a message, in bytes.
	 */
	static final int MAX_PROPERTIES_SIZE = 64 * 1024;

	private static final int MAX_PACKET_SIZE = 64 * 1024 * 1024;

	private static final int KEEP_ALIVE_SECONDS = 30;

	/** Maximum number of unacknowledged requests. */
	private static final int RECEIVE_MAXIMUM = 1000;

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

	/**
	 * Starts connecting.
	 * @param sessionExpiry how long the broker keeps a disconnected gateway's
	 * subscriptions and requests
	 */
	BrokerConnection open(EventLoop loop, String clientId, boolean cleanStart, Duration sessionExpiry,
			BrokerConnection.Events events) {
		MqttProperties properties = new MqttProperties();
		properties.add(ClientPackets.property(MqttProperties.SESSION_EXPIRY_INTERVAL, (int) sessionExpiry.toSeconds()));
		properties.add(ClientPackets.property(MqttProperties.RECEIVE_MAXIMUM, RECEIVE_MAXIMUM));
		properties.add(ClientPackets.property(MqttProperties.MAXIMUM_PACKET_SIZE, maxPacketSize()));
		ClientShare memory = this.budget.open();
		return BrokerConnection.open(loop,
				new ConnectionSettings(this.host, this.port, (this.tls != null) ? new Tls(this.tls.get(), true) : null,
						CONNECT_TIMEOUT, maxPacketSize(), MAX_PROPERTIES_SIZE,
						(bytes) -> memory.set(MemoryUse.INCOMING, bytes)),
				ClientPackets
					.connect(clientId, cleanStart, KEEP_ALIVE_SECONDS, this.username,
							(this.password != null) ? this.password.getBytes(StandardCharsets.UTF_8) : null, properties)
					.build(),
				events);
	}

	/** Returns the size of the largest packet that the gateway accepts, in bytes. */
	int maxPacketSize() {
		return (int) Math.min(MAX_PACKET_SIZE, this.budget.maxBytesPerClient());
	}

	/** Returns the broker's URI, for messages and logs. */
	String broker() {
		return ((this.tls != null) ? "mqtts://" : "mqtt://") + this.host + ':' + this.port;
	}

	@Override
	public String toString() {
		return broker() + " as '" + this.clientId + "'";
	}

}
