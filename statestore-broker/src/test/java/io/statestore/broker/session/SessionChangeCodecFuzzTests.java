package io.statestore.broker.session;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.statestore.broker.codec.Decoder;
import io.statestore.broker.codec.Encoder;
import io.statestore.broker.codec.StateFormatException;

import static org.assertj.core.api.Assertions.assertThat;

/** Fuzzes the decoder of session changes. */
class SessionChangeCodecFuzzTests {

	@FuzzTest
	void decodedChangeSurvivesRecoding(byte[] input) {
		SessionChange change;
		try {
			change = SessionChangeCodec.decode(new Decoder(input, "change"));
		}
		catch (StateFormatException ex) {
			return;
		}
		new Sessions().apply(change, 0);
		byte[] encoded = encode(change);
		assertThat(encode(SessionChangeCodec.decode(new Decoder(encoded, "change")))).isEqualTo(encoded);
	}

	private static byte[] encode(SessionChange change) {
		Encoder encoder = new Encoder(64);
		SessionChangeCodec.encode(change, encoder);
		return encoder.toArray();
	}

}
