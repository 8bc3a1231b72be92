package io.statestore.broker.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/** The two options {@code --user} and {@code --password-file}. */
final class Passwords {

	private Passwords() {
	}

	/**
	 * Hand on user name and password if they are given.
	 * @throws IllegalArgumentException if only one of them is, or the file is no good
	 */
	static void login(@Nullable String user, @Nullable Path passwordFile, BiConsumer<String, String> login) {
		if (user != null && passwordFile != null) {
			login.accept(user, read(passwordFile));
		}
		else if (user != null || passwordFile != null) {
			throw new IllegalArgumentException("--user and --password-file go together; give both or neither");
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file).lines().findFirst().orElse("");
		}
		catch (IOException ex) {
			throw new IllegalArgumentException("The password file '" + file + "' cannot be read: " + ex, ex);
		}
	}

}
