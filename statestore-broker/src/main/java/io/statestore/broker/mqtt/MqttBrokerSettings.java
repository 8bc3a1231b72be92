package io.statestore.broker.mqtt;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * How an MQTT broker listens.
 *
 * @param host name or address to bind to
 * @param port TCP port, 0 for a free one
 * @param maxPacketSize largest MQTT packet accepted, in bytes; clients learn it when they
 * connect
 * @param account who may connect; {@code null} for everybody
 */
public record MqttBrokerSettings(String host, int port, int maxPacketSize, @Nullable Account account) {

	/**
	 * A user name and password.
	 *
	 * @param user the user name
	 * @param password the UTF-8 bytes of the password
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record Account(String user, byte[] password) {

		@Override
		public boolean equals(@Nullable Object object) {
			return object instanceof Account other && this.user.equals(other.user)
					&& Arrays.equals(this.password, other.password);
		}

		@Override
		public int hashCode() {
			return this.user.hashCode();
		}

		@Override
		public String toString() {
			return "Account[" + this.user + "]";
		}

	}

}
