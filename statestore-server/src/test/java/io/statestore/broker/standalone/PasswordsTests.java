package io.statestore.broker.standalone;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PasswordsTests {

	private static final Map<String, String> ENVIRONMENT = Map.of("STATESTORE_USERNAME", "press", "STATESTORE_PASSWORD",
			"sesame");

	@Test
	void needsNoLoginByDefault() {
		assertThat(login(null, null, Map.of())).isEmpty();
	}

	@Test
	void readsLoginFromEnvironment() {
		assertThat(login(null, null, ENVIRONMENT)).containsExactly("press", "sesame");
	}

	@Test
	void prefersOptionsToEnvironment(@TempDir Path directory) throws Exception {
		Path file = Files.writeString(directory.resolve("password"), "secret\n");
		assertThat(login("oven", file, ENVIRONMENT)).containsExactly("oven", "secret");
	}

	@Test
	void ignoresEmptyVariables() {
		assertThat(login(null, null, Map.of("STATESTORE_USERNAME", "", "STATESTORE_PASSWORD", ""))).isEmpty();
	}

	@Test
	void refusesUserWithoutPassword() {
		Map<String, String> environment = Map.of("STATESTORE_USERNAME", "press");
		assertThatIllegalArgumentException().isThrownBy(() -> login(null, null, environment))
			.withMessageContaining("STATESTORE_PASSWORD");
	}

	@Test
	void namesMissingPasswordFile(@TempDir Path directory) {
		Path file = directory.resolve("password");
		assertThatIllegalArgumentException().isThrownBy(() -> login("oven", file, Map.of()))
			.withMessage("The file of --password-file '" + file + "' does not exist");
	}

	private static List<String> login(@Nullable String user, @Nullable Path file, Map<String, String> environment) {
		List<String> login = new ArrayList<>();
		Passwords.login(user, file, environment, (name, password) -> login.addAll(List.of(name, password)));
		return login;
	}

}
