package io.statestore.broker.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A process that performs the operations that {@link PowerCutTests} expects. */
final class FileProgram {

	private FileProgram() {
	}

	public static void main(String[] arguments) throws IOException {
		Path directory = Path.of(arguments[0]);
		try (FileChannel entries = FileChannel.open(directory, StandardOpenOption.READ)) {
			write(directory.resolve("forced"), "forced", true);
			write(directory.resolve("unforced"), "unforced", false);
			write(directory.resolve("old"), "renamed", true);
			Files.move(directory.resolve("old"), directory.resolve("new"), StandardCopyOption.ATOMIC_MOVE);
			Files.createLink(directory.resolve("linked"), directory.resolve("new"));
			write(directory.resolve("deleted"), "deleted", true);
			Files.delete(directory.resolve("deleted"));
			entries.force(true);
			write(directory.resolve("lost"), "lost", true);
			Files.delete(directory.resolve("forced"));
			list(directory);
			// This file gets the descriptor of the directory that was listed before.
			write(directory.resolveSibling("outside"), "outside", true);
			failures(directory.resolve("failing"));
		}
	}

	private static void list(Path directory) throws IOException {
		try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
			files.forEach(Path::getFileName);
		}
	}

	private static void write(Path file, String text, boolean force) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
			channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
			if (force) {
				channel.force(false);
			}
		}
	}

	/** Writes and forces on the test's request, and prints the results. */
	private static void failures(Path file) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
				BufferedReader commands = new BufferedReader(new InputStreamReader(System.in))) {
			System.out.println("ready");
			int number = 0;
			for (String command = commands.readLine(); command != null; command = commands.readLine()) {
				System.out.println(++number + " " + execute(channel, command));
			}
		}
	}

	private static String execute(FileChannel channel, String command) {
		try {
			if (command.equals("w")) {
				channel.write(ByteBuffer.wrap(new byte[] { 'x' }));
			}
			else {
				channel.force(true);
			}
			return "succeeded";
		}
		catch (IOException ex) {
			return "failed " + ex.getMessage();
		}
	}

}
