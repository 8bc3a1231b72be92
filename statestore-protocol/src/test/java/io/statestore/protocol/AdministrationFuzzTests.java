package io.statestore.protocol;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Fuzzes the decoders of administration requests and answers. */
class AdministrationFuzzTests {

	@FuzzTest
	void decodesOneForm(byte[] payload) {
		AdministrationTests.assertHarmless(Bytes.wrap(payload));
	}

}
