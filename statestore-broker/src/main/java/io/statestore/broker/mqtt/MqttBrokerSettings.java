package io.statestore.broker.mqtt;

import io.statestore.broker.principal.PrincipalLimits;
import io.statestore.broker.principal.Principals;
import io.statestore.broker.session.Sessions;
import io.statestore.time.TimeSource;

/**
 * Settings of an MQTT broker.
 * <p>
 * Internal: not part of the API.
 *
 * @param host name or address to bind to
 * @param port TCP port, 0 to select a free one
 * @param maxPacketSize maximum size of an MQTT packet in bytes, announced in the CONNACK
 * @param maxConnectSize maximum size of a CONNECT in bytes
 * @param maxPropertiesSize maximum size of the properties of a packet in bytes
 * @param maxSessionExpirySeconds maximum time for which a session outlives its
 * connection, {@link Sessions#NO_EXPIRY} for none
 * @param security rules for connections
 * @param network TLS, and limits of connections before their CONNECT
 * @param principals limits of the principals of clients
 * @param time tracks the messages of the state store, for tests
 */
public record MqttBrokerSettings(String host, int port, int maxPacketSize, int maxConnectSize, int maxPropertiesSize,
		long maxSessionExpirySeconds, MqttSecurity security, NetworkSettings network, Principals principals,
		TimeSource time) {

	/** Default of {@link #maxConnectSize()} and {@link #maxPropertiesSize()}. */
	public static final int DEFAULT_MAX_HEADER_SIZE = 64 * 1024;

	/**
	 * Creates settings with default limits of connections and principals.
	 * @param host name or address to bind to
	 * @param port TCP port, 0 to select a free one
	 * @param maxPacketSize maximum size of an MQTT packet in bytes
	 * @param maxConnectSize maximum size of a CONNECT in bytes
	 * @param maxPropertiesSize maximum size of the properties of a packet in bytes
	 */
	public MqttBrokerSettings(String host, int port, int maxPacketSize, int maxConnectSize, int maxPropertiesSize) {
		this(host, port, maxPacketSize, maxConnectSize, maxPropertiesSize, Sessions.NO_EXPIRY, MqttSecurity.NONE,
				NetworkSettings.DEFAULT, new Principals(PrincipalLimits.DEFAULT), TimeSource.SYSTEM);
	}

	/**
	 * Creates settings with default limits for CONNECT and properties.
	 * @param host name or address to bind to
	 * @param port TCP port, 0 to select a free one
	 * @param maxPacketSize maximum size of an MQTT packet in bytes
	 */
	public MqttBrokerSettings(String host, int port, int maxPacketSize) {
		this(host, port, maxPacketSize, DEFAULT_MAX_HEADER_SIZE, DEFAULT_MAX_HEADER_SIZE);
	}

	/**
	 * Returns a copy with another maximum session expiry.
	 * @param maxSessionExpirySeconds maximum time for which a session outlives its
	 * connection
	 * @return new settings
	 */
	public MqttBrokerSettings withMaxSessionExpiry(long maxSessionExpirySeconds) {
		return new MqttBrokerSettings(this.host, this.port, this.maxPacketSize, this.maxConnectSize,
				this.maxPropertiesSize, maxSessionExpirySeconds, this.security, this.network, this.principals,
				this.time);
	}

	/**
	 * Returns a copy with another time source.
	 * @param time tracks the messages of the state store
	 * @return new settings
	 */
	public MqttBrokerSettings withTime(TimeSource time) {
		return new MqttBrokerSettings(this.host, this.port, this.maxPacketSize, this.maxConnectSize,
				this.maxPropertiesSize, this.maxSessionExpirySeconds, this.security, this.network, this.principals,
				time);
	}

	/**
	 * Returns a copy with other rules for connections.
	 * @param security the rules
	 * @return new settings
	 */
	public MqttBrokerSettings withSecurity(MqttSecurity security) {
		return new MqttBrokerSettings(this.host, this.port, this.maxPacketSize, this.maxConnectSize,
				this.maxPropertiesSize, this.maxSessionExpirySeconds, security, this.network, this.principals,
				this.time);
	}

	/**
	 * Returns a copy with other principals.
	 * @param principals the limits, and what the principals use
	 * @return new settings
	 */
	public MqttBrokerSettings withPrincipals(Principals principals) {
		return new MqttBrokerSettings(this.host, this.port, this.maxPacketSize, this.maxConnectSize,
				this.maxPropertiesSize, this.maxSessionExpirySeconds, this.security, this.network, principals,
				this.time);
	}

	/**
	 * Returns a copy with other settings of connections.
	 * @param network TLS, and limits of connections before their CONNECT
	 * @return new settings
	 */
	public MqttBrokerSettings withNetwork(NetworkSettings network) {
		return new MqttBrokerSettings(this.host, this.port, this.maxPacketSize, this.maxConnectSize,
				this.maxPropertiesSize, this.maxSessionExpirySeconds, this.security, network, this.principals,
				this.time);
	}

}
