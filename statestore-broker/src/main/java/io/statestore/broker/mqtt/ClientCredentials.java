package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.net.InetSocketAddress;

import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.security.Credentials;
import org.jspecify.annotations.Nullable;

/** Extracts credentials from a client's packets. */
@SuppressWarnings("NullAway") // Array components of records are nullable.
final class ClientCredentials {

	/** Address of a connection without an address: the wildcard address. */
	private static final InetAddress UNKNOWN = new InetSocketAddress(0).getAddress();

	private ClientCredentials() {
	}

	/**
	 * Returns the credentials in a CONNECT.
	 * @param channel the connection
	 * @param connect the CONNECT, with a client id
	 */
	static Credentials of(Channel channel, MqttConnectMessage connect) {
		MqttProperties properties = connect.variableHeader().properties();
		return new Credentials(connect.payload().clientIdentifier(), connect.payload().userName(),
				connect.payload().passwordInBytes(), method(properties), data(properties),
				ServerSslHandler.clientCertificates(channel), address(channel));
	}

	/**
	 * Returns the credentials in an AUTH.
	 * @param channel the connection
	 * @param clientId the client's id
	 * @param properties the properties of the AUTH
	 */
	static Credentials of(Channel channel, String clientId, MqttProperties properties) {
		return new Credentials(clientId, null, null, method(properties), data(properties),
				ServerSslHandler.clientCertificates(channel), address(channel));
	}

	static @Nullable String method(MqttProperties properties) {
		return Packets.property(properties, MqttProperties.AUTHENTICATION_METHOD, String.class);
	}

	private static byte @Nullable [] data(MqttProperties properties) {
		return Packets.property(properties, MqttProperties.AUTHENTICATION_DATA, byte[].class);
	}

	/** Returns a client's address, or the wildcard address if it has none. */
	static InetAddress address(Channel channel) {
		InetAddress address = ClientAddress.host(channel);
		return (address != null) ? address : UNKNOWN;
	}

}
