package io.statestore.protocol;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class AdministrationAccessTests {

	@ParameterizedTest
	@CsvSource(textBlock = """
			OFF,     false, false, false
			OFF,     true,  true,  false
			TRUSTED, false, false, false
			TRUSTED, false, true,  true
			TRUSTED, true,  false, true
			ALL,     false, false, true
			""")
	void permitsClientsByRule(AdministrationAccess access, boolean login, boolean loopback, boolean permitted) {
		assertThat(access.permits(login, loopback)).isEqualTo(permitted);
	}

}
