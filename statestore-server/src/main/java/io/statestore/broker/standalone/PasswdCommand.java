package io.statestore.broker.standalone;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;

import io.statestore.broker.security.PasswordHash;
import io.statestore.broker.security.UserFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Command that changes a user file. Passwords are never passed as arguments, which other
 * processes could read.
 */
@Command(name = "passwd",
		description = "Adds a user to a users file, changes a password, or deletes a user. A running broker reloads "
				+ "the file. The file has the format of mosquitto_passwd.",
		exitCodeList = { "0:the file was changed", "1:the file was not changed", "2:invalid option" })
final class PasswdCommand extends ServerCommand {

	/** Number of random bytes in a generated password. */
	private static final int GENERATED_SIZE = 16;

	@Parameters(index = "0", paramLabel = "<file>", description = "Users file. Created if it does not exist")
	@SuppressWarnings("NullAway.Init")
	private Path file;

	@Parameters(index = "1", paramLabel = "<user>", description = "User name")
	private String user = "";

	@Option(names = "--generate", description = "Print a random 128-bit password instead of asking for a password")
	private boolean generate;

	@Option(names = "--password-file", paramLabel = "<file>",
			description = "File with the password in its first line (default: the command asks for the password)")
	private @Nullable Path passwordFile;

	@Option(names = "--iterations", paramLabel = "<number>",
			description = "Number of hash iterations. Checking a password takes about 1 ms of processor time per 1,000 "
					+ "iterations (default: ${DEFAULT-VALUE})")
	private int iterations = PasswordHash.DEFAULT_ITERATIONS;

	@Option(names = "--delete", description = "Delete the user")
	private boolean delete;

	@Override
	int run() throws IOException {
		requireOptions();
		UserFileEditor editor = new UserFileEditor(this.file);
		if (this.delete) {
			return editor.delete(this.user) ? 0 : fail("There is no user '" + this.user + "' in " + this.file);
		}
		String password = password();
		editor.set(this.user, PasswordHash.of(password, this.iterations));
		if (this.generate) {
			output().println(password);
		}
		return 0;
	}

	private void requireOptions() {
		try {
			UserFile.requireName(this.user);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("Invalid user name '" + this.user + "': " + ex.getMessage(), ex);
		}
		if ((this.delete ? 1 : 0) + (this.generate ? 1 : 0) + ((this.passwordFile != null) ? 1 : 0) > 1) {
			throw new IllegalArgumentException("--delete, --generate, and --password-file exclude each other");
		}
		if (this.iterations < 1 || this.iterations > PasswordHash.MAX_ITERATIONS) {
			throw new IllegalArgumentException("--iterations must be 1 to " + PasswordHash.MAX_ITERATIONS);
		}
	}

	private String password() {
		if (this.generate) {
			byte[] random = new byte[GENERATED_SIZE];
			new SecureRandom().nextBytes(random);
			return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
		}
		if (this.passwordFile != null) {
			return Passwords.read(this.passwordFile);
		}
		Console console = System.console();
		if (console == null) {
			throw new IllegalArgumentException(
					"There is no terminal to ask for the password. Add --generate or --password-file <file>");
		}
		char[] first = console.readPassword("Password for %s: ", this.user);
		char[] second = console.readPassword("Password again: ");
		if (first == null || !Arrays.equals(first, second)) {
			throw new IllegalArgumentException("The passwords differ. The file is unchanged; try again");
		}
		return new String(first);
	}

	@Override
	String describe(IOException failure) {
		return "Cannot change " + this.file + ": " + Passwords.reason(failure);
	}

}
