package io.statestore.console;

import io.statestore.test.PublicApi;
import org.junit.jupiter.api.Test;

class PublicApiTests {

	@Test
	void changesOnlyOnPurpose() throws Exception {
		new PublicApi().verify(2, 0);
	}

}
