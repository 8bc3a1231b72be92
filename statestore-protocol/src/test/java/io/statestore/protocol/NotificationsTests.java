package io.statestore.protocol;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Decoding of notifications (protocol sections 6 and 9). */
class NotificationsTests {

	@ParameterizedTest
	@ValueSource(strings = { "*2\r\n$6\r\nNOTIFY\r\n$6\r\nDELETE\r\n", "*2\r\n$6\r\nNOTIFY\r\n$3\r\nDEL\r\n" })
	void decodesDeletionInBothForms(String payload) {
		assertThat(Notifications.decode(Bytes.of(payload))).isEqualTo(new Notification.Delete());
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "+OK\r\n", "*0\r\n", "*1\r\n$6\r\nNOTIFY\r\n", "*2\r\n$6\r\nnotify\r\n$3\r\nDEL\r\n",
			"*2\r\n$6\r\nNOTIFY\r\n$3\r\ndel\r\n", "*2\r\n$6\r\nNOTIFY\r\n$3\r\nSET\r\n",
			"*2\r\n$6\r\nNOTIFY\r\n$6\r\nDELETE", "*2\r\n$6\r\nNOTIFY\r\n$6\r\nDELETE\r\n\r\n",
			"*4\r\n$6\r\nNOTIFY\r\n$6\r\nDELETE\r\n$5\r\nVALUE\r\n$1\r\nx\r\n",
			"*3\r\n$6\r\nNOTIFY\r\n$3\r\nSET\r\n$5\r\nVALUE\r\n",
			"*4\r\n$6\r\nNOTIFY\r\n$3\r\nSET\r\n$5\r\nvalue\r\n$1\r\nx\r\n",
			"*4\r\n$6\r\nNOTIFY\r\n$3\r\nSET\r\n$5\r\nVALUE\r\n$-1\r\n",
			"*4\r\n$6\r\nNOTIFY\r\n$3\r\nSET\r\n$5\r\nVALUE\r\n$1\r\nx",
			"*4\r\n$6\r\nNOTIFY\r\n$3\r\nSET\r\n$5\r\nVALUE\r\n$2000000000\r\nx\r\n",
			"*5\r\n$6\r\nNOTIFY\r\n$3\r\nSET\r\n$5\r\nVALUE\r\n$1\r\nx\r\n$1\r\ny\r\n" })
	void refusesMalformedPayload(String payload) {
		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> Notifications.decode(Bytes.of(payload)));
	}

}
