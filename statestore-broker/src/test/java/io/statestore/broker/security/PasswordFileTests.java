package io.statestore.broker.security;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Tests for {@link PasswordFile}, {@link UserFile}, and {@link PasswordHash}. */
class PasswordFileTests {

	private static final int ITERATIONS = 10;

	@TempDir
	private Path directory;

	private Path file;

	@BeforeEach
	void writeUsers() throws IOException {
		this.file = this.directory.resolve("users");
		write("# users", "", line("ada", "sesame ü"), line("bob+#/*", "x"));
	}

	@Test
	void acceptsUsersWithTheirPasswords() throws Exception {
		PasswordFile users = PasswordFile.of(this.file);
		assertThat(users.authenticate(credentials("ada", "sesame ü"))).isEqualTo(Authentication.of("ada"));
		assertThat(users.authenticate(credentials("bob+#/*", "x"))).isEqualTo(Authentication.of("bob+#/*"));
	}

	@ParameterizedTest
	@CsvSource({ "sesame", "x", "''", "," })
	void refusesWrongPassword(@Nullable String password) {
		PasswordFile users = PasswordFile.of(this.file);
		assertThatExceptionOfType(AuthenticationException.class)
			.isThrownBy(() -> users.authenticate(credentials("ada", password)));
		assertThatExceptionOfType(AuthenticationException.class).as("again")
			.isThrownBy(() -> users.authenticate(credentials("ada", password)));
	}

	@Test
	void refusesHugeAndMalformedPasswords() {
		PasswordFile users = PasswordFile.of(this.file);
		assertThatExceptionOfType(AuthenticationException.class)
			.isThrownBy(() -> users.authenticate(credentials("ada", "x".repeat(60_000))));
		assertThatExceptionOfType(AuthenticationException.class)
			.isThrownBy(() -> users.authenticate(credentials("ada", null, (byte) 0xFF)));
		assertThat(users.decide(credentials("ada", "x".repeat(60_000)))).isNull();
	}

	@Test
	void abstainsForUnknownUserAndForTokens() throws Exception {
		PasswordFile users = PasswordFile.of(this.file);
		assertThat(users.authenticate(credentials("eve", "x"))).isNull();
		assertThat(users.decide(credentials("eve", "x"))).isEqualTo(ImmediateAuthenticator.Decision.NOT_RESPONSIBLE);
		assertThat(users.authenticate(credentials("ada", "K8S-SAT", (byte) 'x'))).isNull();
	}

	@Test
	void decidesImmediatelyAfterFirstLogin() throws Exception {
		PasswordFile users = PasswordFile.of(this.file);
		assertThat(users.decide(credentials("ada", "sesame ü"))).isNull();
		users.authenticate(credentials("ada", "sesame ü"));
		assertThat(users.decide(credentials("ada", "sesame ü")))
			.isEqualTo(ImmediateAuthenticator.Decision.accept("ada"));
		assertThat(users.decide(credentials("ada", "sesame"))).isNull();
		assertThat(users.decide(credentials("bob+#/*", "sesame ü"))).isNull();
	}

	@Test
	void forgetsLoginWhenPasswordOrUserChanges() throws Exception {
		PasswordFile users = PasswordFile.of(this.file);
		users.authenticate(credentials("ada", "sesame ü"));
		write(line("ada", "other"));
		FileChecks.run();
		assertThat(users.decide(credentials("bob+#/*", "x"))).isNotNull();
		assertThat(users.decide(credentials("ada", "sesame ü"))).isNull();
		assertThatExceptionOfType(AuthenticationException.class)
			.isThrownBy(() -> users.authenticate(credentials("ada", "sesame ü")));
		assertThat(users.authenticate(credentials("ada", "other"))).isNotNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			ada                 | line 1: no ':' after the user name
			ada:secret          | line 1: the password is not hashed
			ada:$6$abc$def      | line 1: the hash has the old form $6$
			ada:$7$0$YWJj$YWJj  | line 1: the hash is damaged
			ada:$7$10$YWJj      | line 1: the hash is damaged
			ada:$7$1000001$YWJj$YWJj | or has more than 1000000 iterations
			ada:$7$10$!!$YWJj   | line 1: the hash is damaged
			:$7$10$YWJj$YWJj    | line 1: a user name must have
			""")
	void refusesInvalidFile(String content, String message) throws IOException {
		write(content);
		assertThatIllegalArgumentException().isThrownBy(() -> PasswordFile.of(this.file))
			.withMessageContaining(this.file.toString())
			.withMessageContaining(message)
			.withMessageNotContaining("secret");
	}

	@Test
	void refusesUserListedTwice() throws IOException {
		write(line("ada", "x"), line("ada", "y"));
		assertThatIllegalArgumentException().isThrownBy(() -> PasswordFile.of(this.file))
			.withMessageContaining("line 2: the user 'ada' is listed twice");
	}

	@Test
	void acceptsEmptyFile() throws Exception {
		write();
		assertThat(PasswordFile.of(this.file).authenticate(credentials("ada", "x"))).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "secret", "sesame ü" })
	void neverShowsSecrets(String secret) throws IOException {
		assertThat(PasswordHash.of(secret, ITERATIONS).toString()).doesNotContain("$7$");
		assertThat(PasswordFile.of(this.file).toString()).doesNotContain("$7$");
	}

	@Property(tries = 300)
	void refusesArbitraryContentWithMessage(@ForAll byte[] content) {
		try {
			Map<String, PasswordHash> users = UserFile.parse(content);
			assertThat(users).isEmpty();
		}
		catch (IllegalArgumentException ex) {
			assertThat(ex).hasMessageMatching("(?s)(line \\d+: |the file is not text).*");
		}
	}

	private static String line(String user, String password) {
		return user + ':' + PasswordHash.of(password, ITERATIONS).text();
	}

	private void write(String... lines) throws IOException {
		Files.write(this.file, List.of(lines));
	}

	// Array components of records are nullable.
	@SuppressWarnings("NullAway")
	private static Credentials credentials(String user, @Nullable String password) {
		return new Credentials("c1", user, (password != null) ? password.getBytes(StandardCharsets.UTF_8) : null, null,
				null, List.of(), InetAddress.getLoopbackAddress());
	}

	// Array components of records are nullable.
	@SuppressWarnings("NullAway")
	private static Credentials credentials(String user, @Nullable String method, byte... password) {
		return new Credentials("c1", user, password, method, null, List.of(), InetAddress.getLoopbackAddress());
	}

}
