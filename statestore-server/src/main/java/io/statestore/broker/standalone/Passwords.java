package io.statestore.broker.standalone;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Reads the {@code --user} and {@code --password-file} options. The {@value #USERNAME}
 * and {@value #PASSWORD} environment variables are used for options that are not set.
 * Empty variables are ignored.
 */
final class Passwords {

	static final String USERNAME = "STATESTORE_USERNAME";

	static final String PASSWORD = "STATESTORE_PASSWORD";

	private Passwords() {
	}

	/**
	 * Passes the user name and password to a consumer, if they are set.
	 * @param user the user name, {@code null} if not set
	 * @param passwordFile file whose first line is the password, {@code null} if not set
	 * @param login receives the user name and password
	 * @throws IllegalArgumentException if only one of them is set, or the file is not
	 * readable
	 */
	static void login(@Nullable String user, @Nullable Path passwordFile, BiConsumer<String, String> login) {
		login(user, passwordFile, System.getenv(), login);
	}

	static void login(@Nullable String user, @Nullable Path passwordFile, Map<String, String> environment,
			BiConsumer<String, String> login) {
		String name = (user != null) ? user : variable(environment, USERNAME);
		String password = (passwordFile != null) ? read(passwordFile) : variable(environment, PASSWORD);
		if (name != null && password != null) {
			login.accept(name, password);
		}
		else if (name != null || password != null) {
			throw new IllegalArgumentException("--user and --password-file require each other; set both or neither. "
					+ "The environment variables " + USERNAME + " and " + PASSWORD + " can replace them");
		}
	}

	private static @Nullable String variable(Map<String, String> environment, String name) {
		String value = environment.get(name);
		return (value != null && !value.isEmpty()) ? value : null;
	}

	/**
	 * Reads the first line of a file.
	 * @param file value of {@code --password-file}
	 * @throws IllegalArgumentException if the file is not readable
	 */
	static String read(Path file) {
		try {
			return Files.readString(file).lines().findFirst().orElse("");
		}
		catch (NoSuchFileException ex) {
			throw new IllegalArgumentException("The file of --password-file '" + file + "' does not exist", ex);
		}
		catch (IOException ex) {
			throw new IllegalArgumentException("Cannot read the file of --password-file '" + file + "': " + reason(ex),
					ex);
		}
	}

	/** Returns why a file cannot be used. */
	static String reason(IOException failure) {
		if (failure instanceof NoSuchFileException missing) {
			return missing.getFile() + " does not exist";
		}
		if (failure instanceof AccessDeniedException denied) {
			return "no permission for " + denied.getFile();
		}
		return (failure instanceof CharacterCodingException) ? "it is not a text in UTF-8" : failure.toString();
	}

}
