package io.statestore.protocol;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Fuzzes the decoders of commands, replies, and notifications. */
class RespFuzzTests {

	@FuzzTest
	void decodesOneForm(byte[] payload) {
		HostileBytesTests.assertOneForm(Bytes.wrap(payload));
	}

}
