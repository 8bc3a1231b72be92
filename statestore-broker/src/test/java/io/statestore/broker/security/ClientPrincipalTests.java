package io.statestore.broker.security;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ClientPrincipalTests {

	@Test
	void nameMayHaveAnyCharacter() {
		assertThat(ClientPrincipal.of("\u00e4 */+#\ud83d\ude00\n").isAnonymous()).isFalse();
	}

	@Test
	void refusesNameThatCannotBeStored() {
		assertThatIllegalArgumentException().isThrownBy(() -> ClientPrincipal.of("ada\ud800"))
			.withMessageContaining("well-formed");
	}

	@Test
	void refusesEmptyName() {
		assertThatIllegalArgumentException().isThrownBy(() -> ClientPrincipal.of("")).withMessageContaining("empty");
	}

}
