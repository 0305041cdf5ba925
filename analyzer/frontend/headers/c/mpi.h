#pragma once
typedef struct ai_comm *MPI_Comm;
typedef struct ai_datatype *MPI_Datatype;
typedef struct ai_op *MPI_Op;
typedef struct ai_request *MPI_Request;
typedef struct ai_group *MPI_Group;
typedef struct ai_info *MPI_Info;
typedef struct ai_win *MPI_Win;
typedef struct ai_file *MPI_File;
typedef struct ai_errhandler *MPI_Errhandler;
typedef struct { int MPI_SOURCE, MPI_TAG, MPI_ERROR; } MPI_Status;
typedef long MPI_Aint, MPI_Offset;
#define MPI_COMM_WORLD ((MPI_Comm)0)
#define MPI_COMM_SELF ((MPI_Comm)1)
#define MPI_COMM_NULL ((MPI_Comm)2)
#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_INFO_NULL ((MPI_Info)0)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0)
#define MPI_BYTE ((MPI_Datatype)1)
#define MPI_CHAR ((MPI_Datatype)2)
#define MPI_INT ((MPI_Datatype)3)
#define MPI_LONG ((MPI_Datatype)4)
#define MPI_FLOAT ((MPI_Datatype)5)
#define MPI_DOUBLE ((MPI_Datatype)6)
#define MPI_UNSIGNED ((MPI_Datatype)7)
#define MPI_UNSIGNED_LONG ((MPI_Datatype)8)
#define MPI_LONG_LONG ((MPI_Datatype)9)
#define MPI_LONG_LONG_INT MPI_LONG_LONG
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)10)
#define MPI_DOUBLE_INT ((MPI_Datatype)11)
#define MPI_LOGICAL ((MPI_Datatype)12)
#define MPI_PACKED ((MPI_Datatype)13)
#define MPI_SHORT ((MPI_Datatype)14)
#define MPI_DOUBLE_COMPLEX ((MPI_Datatype)15)
#define MPI_UNSIGNED_CHAR ((MPI_Datatype)16)
#define MPI_INT64_T ((MPI_Datatype)17)
#define MPI_UINT64_T ((MPI_Datatype)18)
#define MPI_CXX_BOOL ((MPI_Datatype)19)
#define MPI_LONG_DOUBLE ((MPI_Datatype)20)
#define MPI_SUM ((MPI_Op)1)
#define MPI_MAX ((MPI_Op)2)
#define MPI_MIN ((MPI_Op)3)
#define MPI_PROD ((MPI_Op)4)
#define MPI_LOR ((MPI_Op)5)
#define MPI_LAND ((MPI_Op)6)
#define MPI_BOR ((MPI_Op)7)
#define MPI_MAXLOC ((MPI_Op)8)
#define MPI_MINLOC ((MPI_Op)9)
#define MPI_SUCCESS 0
#define MPI_ANY_SOURCE (-1)
#define MPI_ANY_TAG (-1)
#define MPI_PROC_NULL (-2)
#define MPI_UNDEFINED (-32766)
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_THREAD_SINGLE 0
#define MPI_THREAD_FUNNELED 1
#define MPI_THREAD_SERIALIZED 2
#define MPI_THREAD_MULTIPLE 3
#define MPI_COMM_TYPE_SHARED 1
#define MPI_ORDER_C 1
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0)
int MPI_Init(int *, char ***), MPI_Init_thread(int *, char ***, int, int *), MPI_Finalize(void);
int MPI_Initialized(int *), MPI_Finalized(int *), MPI_Abort(MPI_Comm, int), MPI_Get_processor_name(char *, int *);
int MPI_Comm_rank(MPI_Comm, int *), MPI_Comm_size(MPI_Comm, int *), MPI_Comm_free(MPI_Comm *);
int MPI_Comm_dup(MPI_Comm, MPI_Comm *), MPI_Comm_split(MPI_Comm, int, int, MPI_Comm *);
int MPI_Comm_split_type(MPI_Comm, int, int, MPI_Info, MPI_Comm *), MPI_Barrier(MPI_Comm);
int MPI_Send(const void *, int, MPI_Datatype, int, int, MPI_Comm);
int MPI_Ssend(const void *, int, MPI_Datatype, int, int, MPI_Comm);
int MPI_Recv(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
int MPI_Isend(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int MPI_Irecv(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int MPI_Send_init(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int MPI_Recv_init(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int MPI_Start(MPI_Request *), MPI_Startall(int, MPI_Request *), MPI_Request_free(MPI_Request *);
int MPI_Wait(MPI_Request *, MPI_Status *), MPI_Waitall(int, MPI_Request *, MPI_Status *);
int MPI_Waitany(int, MPI_Request *, int *, MPI_Status *), MPI_Test(MPI_Request *, int *, MPI_Status *);
int MPI_Testall(int, MPI_Request *, int *, MPI_Status *), MPI_Probe(int, int, MPI_Comm, MPI_Status *);
int MPI_Iprobe(int, int, MPI_Comm, int *, MPI_Status *), MPI_Get_count(const MPI_Status *, MPI_Datatype, int *);
int MPI_Sendrecv(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
int MPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm);
int MPI_Reduce(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
int MPI_Allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Scan(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Exscan(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Gather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
int MPI_Scatter(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
int MPI_Allgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int MPI_Alltoall(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int MPI_Gatherv(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, int, MPI_Comm);
int MPI_Scatterv(const void *, const int *, const int *, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
int MPI_Allgatherv(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, MPI_Comm);
int MPI_Alltoallv(const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, MPI_Comm);
int MPI_Type_contiguous(int, MPI_Datatype, MPI_Datatype *), MPI_Type_commit(MPI_Datatype *), MPI_Type_free(MPI_Datatype *);
int MPI_Type_vector(int, int, int, MPI_Datatype, MPI_Datatype *), MPI_Type_size(MPI_Datatype, int *);
int MPI_Type_create_struct(int, const int *, const MPI_Aint *, const MPI_Datatype *, MPI_Datatype *);
int MPI_Type_create_subarray(int, const int *, const int *, const int *, int, MPI_Datatype, MPI_Datatype *);
int MPI_Type_create_resized(MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype *), MPI_Get_address(const void *, MPI_Aint *);
int MPI_Cart_create(MPI_Comm, int, const int *, const int *, int, MPI_Comm *), MPI_Dims_create(int, int, int *);
int MPI_Cart_coords(MPI_Comm, int, int, int *), MPI_Cart_rank(MPI_Comm, const int *, int *);
int MPI_Cart_shift(MPI_Comm, int, int, int *, int *), MPI_Cart_get(MPI_Comm, int, int *, int *, int *);
typedef void MPI_User_function(void *, void *, int *, MPI_Datatype *);
int MPI_Op_create(MPI_User_function *, int, MPI_Op *), MPI_Op_free(MPI_Op *);
int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler), MPI_Query_thread(int *), MPI_Error_string(int, char *, int *);
double MPI_Wtime(void), MPI_Wtick(void);
