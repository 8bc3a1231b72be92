package io.statestore.boot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import io.statestore.client.StateStoreException;

/**
 * File with a password or token, which may be replaced at any time.
 *
 * @param property property that names the file, for error messages
 * @param path location of the file
 */
record SecretFile(String property, Path path) {

	/**
	 * Returns the current content without surrounding whitespace.
	 * @throws StateStoreException if the file is not readable or empty
	 */
	byte[] content() {
		return text().strip().getBytes(StandardCharsets.ISO_8859_1);
	}

	/**
	 * Returns the first line of the current content, decoded as UTF-8.
	 * @throws StateStoreException if the file is not readable or empty
	 */
	String firstLine() {
		String line = text().lines().findFirst().orElse("");
		if (line.isBlank()) {
			throw empty();
		}
		return new String(line.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
	}

	/** Returns the current content, with one character for each byte. */
	private String text() {
		String text;
		try {
			text = Files.readString(this.path, StandardCharsets.ISO_8859_1);
		}
		catch (IOException ex) {
			String reason = (ex instanceof NoSuchFileException) ? "it does not exist" : ex.toString();
			throw new StateStoreException("Cannot read the file '" + this.path + "' of the property '" + this.property
					+ "': " + reason + ". Create the file, and permit this application to read it", ex);
		}
		if (text.isBlank()) {
			throw empty();
		}
		return text;
	}

	private StateStoreException empty() {
		return new StateStoreException("The file '" + this.path + "' of the property '" + this.property
				+ "' begins with an empty line. Write the secret to its first line");
	}

}
