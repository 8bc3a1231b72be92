package io.statestore.broker.packet;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.IncomingRequest.Acknowledgment;
import io.statestore.broker.server.UserProperty;
import io.statestore.mqtt.Publish;
import io.statestore.protocol.Bytes;

/**
 * Converts PUBLISH packets to requests.
 * <p>
 * Internal: not part of the API.
 */
public final class Requests {

	/** Encoded verbs of requests that visit many keys. */
	private static final List<byte[]> SCANS = List.of("$4\r\nSCAN\r\n".getBytes(StandardCharsets.US_ASCII),
			"$5\r\nLOCKS\r\n".getBytes(StandardCharsets.US_ASCII));

	/** Position of the verb, after the number of elements. */
	private static final int VERB = 4;

	private Requests() {
	}

	/**
	 * Converts a PUBLISH to a request.
	 * @param publish a PUBLISH to a request topic
	 * @param connection the connection on which it arrived
	 * @param acknowledgment acknowledges the request
	 * @return the request
	 */
	public static IncomingRequest of(Publish publish, ClientConnection connection, Acknowledgment acknowledgment) {
		byte[] correlationData = publish.correlationData();
		Long expiry = publish.expirySeconds();
		return new IncomingRequest(connection, publish.qos(), publish.responseTopic(),
				(correlationData != null) ? Bytes.wrap(correlationData) : null,
				(expiry != null) ? Duration.ofSeconds(expiry) : null, userProperties(publish),
				Bytes.wrap(publish.payload()), acknowledgment);
	}

	/**
	 * Returns the user properties of a PUBLISH.
	 * @param publish a received PUBLISH
	 * @return the properties in packet order
	 */
	public static List<UserProperty> userProperties(Publish publish) {
		return publish.userProperties().stream().map((pair) -> new UserProperty(pair.key, pair.value)).toList();
	}

	/**
	 * Returns whether a request visits many keys: a SCAN, or a request for locks. Both
	 * have fewer than ten elements, and each verb has exactly one encoding.
	 * @param payload the payload of the request
	 * @return whether its verb is one of these
	 */
	public static boolean isScan(byte[] payload) {
		for (byte[] verb : SCANS) {
			int end = VERB + verb.length;
			if (payload.length >= end && Arrays.equals(payload, VERB, end, verb, 0, verb.length)) {
				return true;
			}
		}
		return false;
	}

}
