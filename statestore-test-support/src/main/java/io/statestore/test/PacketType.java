package io.statestore.test;

/** MQTT packet types, in the order of their codes, which begin at 1. */
public enum PacketType {

	CONNECT, CONNACK, PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP, SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK, PINGREQ,
	PINGRESP, DISCONNECT, AUTH;

	static PacketType of(int code) {
		return values()[code - 1];
	}

	/** Returns the first byte of a packet without flags. */
	int header() {
		return (ordinal() + 1) << 4;
	}

}
