// Printed from server/openapi.json by `npm run generate`.
export interface paths {
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the service answers
         * @description Public.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This API as an OpenAPI 3.1 document
         * @description Public.
         */
        get: operations["getOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This API as a page to read
         * @description Public.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the instance still needs its owner
         * @description Public.
         */
        get: operations["getAuthSetup"];
        put?: never;
        /**
         * Create the owner of the instance
         * @description Works once, with the code of the one-time link. Signs the owner in.
         *
         *     Public.
         */
        post: operations["postAuthSetup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with e-mail address and password
         * @description Sets the session cookie. After ten failures the address has to wait (429, `Retry-After`).
         *
         *     Public.
         */
        post: operations["postAuthSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session
         * @description Any signed-in caller.
         */
        post: operations["postAuthSignOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who is calling, where, and what they may do
         * @description Any signed-in caller.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description Ends your other sessions. Only when signed in by cookie.
         *
         *     Any signed-in caller.
         */
        post: operations["postAuthPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/members/{id}/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link with which a member sets a new password
         * @description For owners. Nothing is sent: hand over the `url`. It is good for a day and one use.
         *
         *     Permission: `member:admin`.
         */
        post: operations["postMembersByIdPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password by a reset link
         * @description Public.
         */
        post: operations["postAuthResetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your organizations
         * @description A token sees the organization that it is bound to.
         *
         *     Permission: `organization:list`.
         */
        get: operations["getOrganizations"];
        put?: never;
        /**
         * Create an organization and become its owner
         * @description Needs `organization:write` in the organization that the call acts in; the owner of the instance needs none.
         *
         *     Any signed-in caller.
         */
        post: operations["postOrganizations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename the organization
         * @description Permission: `organization:admin`.
         */
        patch: operations["patchOrganizationsCurrent"];
        trace?: never;
    };
    "/api/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of the organization
         * @description Permission: `member:list`.
         */
        get: operations["getMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member and its tokens from the organization
         * @description Permission: `member:admin`.
         */
        delete: operations["deleteMembersById"];
        options?: never;
        head?: never;
        /**
         * Change a member's role
         * @description Only owners make or change owners. The last owner stays one (409).
         *
         *     Permission: `member:admin`.
         */
        patch: operations["patchMembersById"];
        trace?: never;
    };
    "/api/members/{id}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace what a restricted member may do
         * @description Permission: `member:admin`.
         */
        put: operations["putMembersByIdGrants"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave the organization
         * @description Names the organization that the call acts in, so that nobody leaves another one by mistake. Your tokens of it end. The last owner cannot leave (409).
         *
         *     Permission: `organization:read`.
         */
        post: operations["postOrganizationsLeave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List open invitations
         * @description Permission: `member:list`.
         */
        get: operations["getInvitations"];
        put?: never;
        /**
         * Invite somebody
         * @description Nothing is sent: hand over the `url`. It is good for seven days and one use.
         *
         *     Permission: `member:admin`.
         */
        post: operations["postInvitations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw an invitation
         * @description Permission: `member:admin`.
         */
        delete: operations["deleteInvitationsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/look": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What an invitation says
         * @description Public.
         */
        post: operations["postInvitationsLook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Joins the organization and signs in.
         *
         *     Public.
         */
        post: operations["postInvitationsAccept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List access tokens
         * @description Your own; with `token:admin` everybody's in the organization.
         *
         *     Permission: `token:list`.
         */
        get: operations["getTokens"];
        put?: never;
        /**
         * Make an access token
         * @description The answer is the only place that ever shows it. It never has more permissions than you.
         *
         *     Permission: `token:write`.
         */
        post: operations["postTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an access token
         * @description Your own; with `token:admin` anybody's in the organization.
         *
         *     Permission: `token:write`.
         */
        delete: operations["deleteTokensById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was changed, by whom and from where
         * @description Permission: `audit:list`.
         */
        get: operations["getAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /** @constant */
            success: false;
            /** @description A sentence for a person. */
            error: string;
            /** @description A word for programs. */
            code: string;
            message?: string;
            details?: {
                field: string;
                message: string;
            }[];
        };
        User: {
            id: string;
            email: string;
            name: string;
            isInstanceOwner: boolean;
        };
        Me: {
            user: components["schemas"]["User"];
            /** @description Where this request acts; null for somebody who belongs nowhere. */
            organization: {
                id: string;
                name: string;
                memberId: string;
                role: string;
                permissions: string[];
            } | null;
            organizations: {
                id: string;
                name: string;
                role: string;
            }[];
            /** @enum {string} */
            via: "session" | "token";
            /** @description The token that the call was made with. */
            tokenId: string | null;
        };
        Organization: {
            id: string;
            name: string;
            /** @description Your role in it. */
            role: string;
        };
        Member: {
            id: string;
            userId: string;
            email: string;
            name: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "viewer" | "restricted";
            /** @description What a restricted member may do; without effect for other roles. */
            grants: {
                /** @enum {string} */
                resource: "project" | "server" | "backup_destination" | "repository";
                /** @description Id of the thing; for a repository `owner/repo` or `owner/*`. */
                id: string;
                actions: ("list" | "read" | "write" | "admin")[];
            }[];
            /** Format: date-time */
            createdAt: string;
        };
        Invitation: {
            id: string;
            email: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "viewer" | "restricted";
            grants: {
                /** @enum {string} */
                resource: "project" | "server" | "backup_destination" | "repository";
                /** @description Id of the thing; for a repository `owner/repo` or `owner/*`. */
                id: string;
                actions: ("list" | "read" | "write" | "admin")[];
            }[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        CreatedInvitation: {
            id: string;
            email: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "viewer" | "restricted";
            grants: {
                /** @enum {string} */
                resource: "project" | "server" | "backup_destination" | "repository";
                /** @description Id of the thing; for a repository `owner/repo` or `owner/*`. */
                id: string;
                actions: ("list" | "read" | "write" | "admin")[];
            }[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Shown this once. */
            token: string;
            /** @description The page to accept on. Hand it to the person. */
            url: string;
        };
        Token: {
            id: string;
            name: string;
            prefix: string;
            permissions: "*" | string[];
            holder: {
                memberId: string;
                email: string;
            };
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            /** @description To the minute. */
            lastUsedAt: string | null;
        };
        CreatedToken: {
            id: string;
            name: string;
            prefix: string;
            permissions: "*" | string[];
            holder: {
                memberId: string;
                email: string;
            };
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            /** @description To the minute. */
            lastUsedAt: string | null;
            /** @description Shown this once. */
            token: string;
        };
        AuditEntry: {
            id: string;
            /** Format: date-time */
            at: string;
            actor: {
                id: string | null;
                name: string;
                tokenId: string | null;
            };
            ip: string;
            action: string;
            target: {
                id: string;
                name: string | null;
            } | null;
            details: {
                [key: string]: string | number | boolean | null;
            };
        };
    };
    responses: {
        /** @description What went wrong. */
        Error: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                        version: string;
                        /** @enum {string} */
                        mode: "self-hosted" | "cloud";
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getAuthSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            needed: boolean;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postAuthSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description From the link that the first start prints. */
                    code: string;
                    name: string;
                    email: string;
                    password: string;
                    organizationName?: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            user: components["schemas"]["User"];
                            organization: {
                                id: string;
                                name: string;
                            };
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postAuthSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            email: string;
                            name: string;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postAuthSignOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Me"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postAuthPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    currentPassword: string;
                    newPassword: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postMembersByIdPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            token: string;
                            url: string;
                            /** Format: date-time */
                            expiresAt: string;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postAuthResetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getOrganizations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Organization"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postOrganizations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Organization"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchOrganizationsCurrent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Organization"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getMembers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Member"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteMembersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    patchMembersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "owner" | "admin" | "member" | "viewer" | "restricted";
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Member"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    putMembersByIdGrants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    grants: {
                        /** @enum {string} */
                        resource: "project" | "server" | "backup_destination" | "repository";
                        /** @description Id of the thing; for a repository `owner/repo` or `owner/*`. */
                        id: string;
                        actions: ("list" | "read" | "write" | "admin")[];
                    }[];
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Member"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postOrganizationsLeave: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    organizationId: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Invitation"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    /** @enum {string} */
                    role: "owner" | "admin" | "member" | "viewer" | "restricted";
                    /**
                     * @description For the role `restricted`.
                     * @default []
                     */
                    grants?: {
                        /** @enum {string} */
                        resource: "project" | "server" | "backup_destination" | "repository";
                        /** @description Id of the thing; for a repository `owner/repo` or `owner/*`. */
                        id: string;
                        actions: ("list" | "read" | "write" | "admin")[];
                    }[];
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["CreatedInvitation"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteInvitationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postInvitationsLook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            organizationName: string;
                            email: string;
                            /** @enum {string} */
                            role: "owner" | "admin" | "member" | "viewer" | "restricted";
                            /** @description Whether the person signs in with a password they have already. */
                            hasAccount: boolean;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postInvitationsAccept: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                    /** @description Needed for somebody new. */
                    name?: string;
                    /** @description A new one, or for a known person their own. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            user: {
                                id: string;
                                email: string;
                                name: string;
                            };
                            organization: {
                                id: string;
                                name: string;
                            };
                        };
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Token"][];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    postTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description `"*"` for everything you may do, or a list of `<resource>:<action>`. */
                    permissions: "*" | string[];
                    /** @description Another organization of yours; only when signed in by cookie. */
                    organizationId?: string;
                    expiresInDays?: number;
                };
            };
        };
        responses: {
            /** @description It worked. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["CreatedToken"];
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    deleteTokensById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
    getAudit: {
        parameters: {
            query?: {
                /** @description How many, 1 to 100. */
                limit?: number;
                /** @description `nextCursor` of the page before. */
                cursor?: string;
                /** @description One action (`token.created`), or all of a noun (`token.`). */
                action?: string;
                /** @description Who did it: a user id. */
                actorId?: string;
                /** @description What it was done to. */
                targetId?: string;
                /** @description At or after this time. */
                from?: string;
                /** @description Before this time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["AuditEntry"][];
                        nextCursor: string | null;
                    };
                };
            };
            "4XX": components["responses"]["Error"];
        };
    };
}
