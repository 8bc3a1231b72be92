package io.statestore.broker.engine;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The principals that have created the store's keys. Keys of anonymous clients have no
 * owner, and are not counted. The counts can be derived from the keys, so a snapshot does
 * not contain them.
 */
final class KeyOwners {

	private final Map<String, KeyOwner> owners = new HashMap<>();

	/**
	 * Returns the owner of a new key. The key does not count until it is
	 * {@linkplain #added added}.
	 * @param principal the name of the principal that creates the key, or {@code null} if
	 * the client is anonymous
	 * @return the owner, or {@code null} for none
	 */
	@Nullable KeyOwner of(@Nullable String principal) {
		if (principal == null) {
			return null;
		}
		KeyOwner owner = this.owners.get(principal);
		return (owner != null) ? owner : new KeyOwner(principal);
	}

	void added(@Nullable KeyOwner owner) {
		if (owner != null) {
			if (owner.keys() == 0) {
				this.owners.put(owner.principal(), owner);
			}
			owner.add(1);
		}
	}

	void removed(@Nullable KeyOwner owner) {
		if (owner != null) {
			owner.add(-1);
			if (owner.keys() == 0) {
				this.owners.remove(owner.principal());
			}
		}
	}

	/** Returns the number of existing keys that a principal has created. */
	long keysOf(String principal) {
		KeyOwner owner = this.owners.get(principal);
		return (owner != null) ? owner.keys() : 0;
	}

	/** Returns the number of principals that have keys. */
	int count() {
		return this.owners.size();
	}

}
