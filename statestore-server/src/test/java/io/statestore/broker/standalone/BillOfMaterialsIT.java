package io.statestore.broker.standalone;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the executable JAR file's bill of materials. Needs both files, so it runs after
 * packaging.
 */
class BillOfMaterialsIT {

	private static final Pattern SHA_256 = Pattern
		.compile("\"alg\"\\s*:\\s*\"SHA-256\",\\s*\"content\"\\s*:\\s*\"([0-9a-f]{64})\"");

	@Test
	void listsEveryLibraryInExecutableJar() throws Exception {
		String bill = Files.readString(find("-exec.cdx.json"));
		// Before this position, the file describes the program that has created it.
		Set<String> listed = SHA_256.matcher(bill.substring(bill.indexOf("\"bom-ref\"")))
			.results()
			.map((match) -> match.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(listed).isEqualTo(libraries(find("-exec.jar"))).hasSizeGreaterThan(10);
	}

	@Test
	void namesLicenseForEveryLibrary() throws Exception {
		String bill = Files.readString(find("-exec.cdx.json"));
		long libraries = Pattern.compile("\"type\"\\s*:\\s*\"library\"").matcher(bill).results().count();
		assertThat(Pattern.compile("\"licenses\"").matcher(bill).results().map(MatchResult::group))
			.hasSizeGreaterThanOrEqualTo((int) libraries);
	}

	private static Path find(String suffix) throws IOException {
		try (Stream<Path> files = Files.list(Path.of("target"))) {
			return files.filter((file) -> file.getFileName().toString().endsWith(suffix)).findFirst().orElseThrow();
		}
	}

	/** Returns the SHA-256 digests of all libraries in an executable JAR file. */
	private static Set<String> libraries(Path executable) throws IOException {
		Set<String> digests = new TreeSet<>();
		try (JarFile jar = new JarFile(executable.toFile())) {
			for (JarEntry entry : Collections.list(jar.entries())) {
				if (entry.getName().startsWith("BOOT-INF/lib/") && !entry.isDirectory()) {
					try (InputStream library = jar.getInputStream(entry)) {
						digests.add(sha256(library.readAllBytes()));
					}
				}
			}
		}
		return digests;
	}

	private static String sha256(byte[] content) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
