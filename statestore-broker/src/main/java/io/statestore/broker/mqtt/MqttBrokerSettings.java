package io.statestore.broker.mqtt;

import io.statestore.broker.principal.PrincipalLimits;
import io.statestore.broker.principal.Principals;
import io.statestore.broker.session.Sessions;
import io.statestore.time.TimeSource;

/**
 * MQTT broker settings.
 * <p>
 * Internal: not part of the API.
 *
 * @param host name or address to bind to
 * @param port TCP port, 0 to select a free one
 * @param maxPacketSize maximum size of an MQTT packet, in bytes, announced in the CONNACK
 * @param maxConnectSize maximum size of a CONNECT, in bytes
 * @param maxPropertiesSize maximum size of a packet's properties, in bytes
 * @param maxSessionExpirySeconds how long a session may outlive its connection,
 * {@link Sessions#NO_EXPIRY} for no limit
 * @param security authentication and authorization
 * @param network TLS, and limits for connections before their CONNECT
 * @param principals limits per principal
 * @param time tracks state store messages, for tests
 */
public record MqttBrokerSettings(String host, int port, int maxPacketSize, int maxConnectSize, int maxPropertiesSize,
		long maxSessionExpirySeconds, MqttSecurity security, NetworkSettings network, Principals principals,
		TimeSource time) {

	/** Default for {@link #maxConnectSize()} and {@link #maxPropertiesSize()}. */
	public static final int DEFAULT_MAX_HEADER_SIZE = 64 * 1024;

	/**
	 * Creates settings with default limits for connections and principals.
	 * @param host name or address to bind to
	 * @param port TCP port, 0 to select a free one
	 * @param maxPacketSize maximum size of an MQTT packet, in bytes
	 * @param maxConnectSize maximum size of a CONNECT, in bytes
	 * @param maxPropertiesSize maximum size of a packet's properties, in bytes
	 */
	public MqttBrokerSettings(String host, int port, int maxPacketSize, int maxConnectSize, int maxPropertiesSize) {
		this(host, port, maxPacketSize, maxConnectSize, maxPropertiesSize, Sessions.NO_EXPIRY, MqttSecurity.NONE,
				NetworkSettings.DEFAULT, new Principals(PrincipalLimits.DEFAULT), TimeSource.SYSTEM);
	}

	/**
	 * Creates settings with default limits for CONNECT and properties.
	 * @param host name or address to bind to
	 * @param port TCP port, 0 to select a free one
	 * @param maxPacketSize maximum size of an MQTT packet, in bytes
	 */
	public MqttBrokerSettings(String host, int port, int maxPacketSize) {
		this(host, port, maxPacketSize, DEFAULT_MAX_HEADER_SIZE, DEFAULT_MAX_HEADER_SIZE);
	}

	/**
	 * Returns a copy with a different maximum session expiry.
	 * @param maxSessionExpirySeconds how long a session may outlive its connection
	 * @return new settings
	 */
	public MqttBrokerSettings withMaxSessionExpiry(long maxSessionExpirySeconds) {
		return new MqttBrokerSettings(this.host, this.port, this.maxPacketSize, this.maxConnectSize,
				this.maxPropertiesSize, maxSessionExpirySeconds, this.security, this.network, this.principals,
				this.time);
	}

	/**
	 * Returns a copy with a different time source.
	 * @param time tracks state store messages
	 * @return new settings
	 */
	public MqttBrokerSettings withTime(TimeSource time) {
		return new MqttBrokerSettings(this.host, this.port, this.maxPacketSize, this.maxConnectSize,
				this.maxPropertiesSize, this.maxSessionExpirySeconds, this.security, this.network, this.principals,
				time);
	}

	/**
	 * Returns a copy with different security settings.
	 * @param security authentication and authorization
	 * @return new settings
	 */
	public MqttBrokerSettings withSecurity(MqttSecurity security) {
		return new MqttBrokerSettings(this.host, this.port, this.maxPacketSize, this.maxConnectSize,
				this.maxPropertiesSize, this.maxSessionExpirySeconds, security, this.network, this.principals,
				this.time);
	}

	/**
	 * Returns a copy with different principals.
	 * @param principals the limits, and the current usage
	 * @return new settings
	 */
	public MqttBrokerSettings withPrincipals(Principals principals) {
		return new MqttBrokerSettings(this.host, this.port, this.maxPacketSize, this.maxConnectSize,
				this.maxPropertiesSize, this.maxSessionExpirySeconds, this.security, this.network, principals,
				this.time);
	}

	/**
	 * Returns a copy with different connection settings.
	 * @param network TLS, and limits for connections before their CONNECT
	 * @return new settings
	 */
	public MqttBrokerSettings withNetwork(NetworkSettings network) {
		return new MqttBrokerSettings(this.host, this.port, this.maxPacketSize, this.maxConnectSize,
				this.maxPropertiesSize, this.maxSessionExpirySeconds, this.security, network, this.principals,
				this.time);
	}

}
